# SPDX-License-Identifier: Apache-2.0
"""NVML and torch.cuda as modules that say what a test wants them to say."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

ONE = "GPU-11111111-2222-3333-4444-555555555555"
TWO = "GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"


class NVMLError(Exception):
    pass


class FakeGpu:
    def __init__(self, uuid=ONE, *, pids=(), used_mib=4, busy=0, reasons=0x1, name="NVIDIA H200"):
        self.uuid, self.pids, self.used_mib, self.busy = uuid, pids, used_mib, busy
        self.reasons, self.name = reasons, name


class FakeNvml(ModuleType):
    """The functions of pynvml over a list of FakeGpu; `unsupported` names raise NVMLError."""

    NVMLError = NVMLError
    nvmlMemory_v2 = 0x02000028
    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0

    def __init__(self, *gpus, missing=False, unsupported=()):
        super().__init__("pynvml")
        self.gpus, self.missing, self.unsupported = list(gpus), missing, set(unsupported)
        self.calls = []

    def __getattribute__(self, name):
        if name.startswith("nvmlDevice") or name == "nvmlSystemGetDriverVersion":
            if name in self.unsupported:
                raise_unsupported = lambda *_, **__: (_ for _ in ()).throw(  # noqa: E731
                    NVMLError("Not Supported")
                )
                return raise_unsupported
            self.calls.append(name)
        return super().__getattribute__(name)

    def nvmlInit(self):
        if self.missing:
            raise NVMLError("NVML Shared Library Not Found")

    def nvmlSystemGetDriverVersion(self):
        return "580.159.04"

    def nvmlDeviceGetCount(self):
        return len(self.gpus)

    def nvmlDeviceGetHandleByIndex(self, index):
        return self.gpus[index]

    def nvmlDeviceGetHandleByUUID(self, uuid):
        for gpu in self.gpus:
            if gpu.uuid == uuid:
                return gpu
        raise NVMLError("Not Found")

    def nvmlDeviceGetUUID(self, gpu):
        return gpu.uuid

    def nvmlDeviceGetName(self, gpu):
        return gpu.name

    def nvmlDeviceGetComputeRunningProcesses(self, gpu):
        return [SimpleNamespace(pid=pid) for pid in gpu.pids]

    def nvmlDeviceGetGraphicsRunningProcesses(self, gpu):
        return []

    def nvmlDeviceGetMemoryInfo(self, gpu, version=None):
        # the first version counts what the driver reserves
        reserved = 0 if version == self.nvmlMemory_v2 else 600
        return SimpleNamespace(used=(gpu.used_mib + reserved) << 20)

    def nvmlDeviceGetUtilizationRates(self, gpu):
        return SimpleNamespace(gpu=gpu.busy, memory=0)

    def nvmlDeviceGetClockInfo(self, gpu, clock):
        return {1: 1980, 2: 3201}[clock]

    def nvmlDeviceGetMaxClockInfo(self, gpu, clock):
        return {1: 1980, 2: 3201}[clock]

    def nvmlDeviceGetCurrentClocksEventReasons(self, gpu):
        return gpu.reasons

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, gpu):
        return gpu.reasons

    def nvmlDeviceGetTemperature(self, gpu, sensor):
        return 41

    def nvmlDeviceGetPowerUsage(self, gpu):
        return 123456


class FakeCuda(ModuleType):
    """torch.cuda that sees the GPUs of these UUIDs, written without a prefix as torch does."""

    def __init__(self, *uuids, broken=None):
        super().__init__("cuda")
        self.uuids, self.broken, self.current = list(uuids), broken, None

    def device_count(self):
        return len(self.uuids)

    def get_device_properties(self, index):
        if self.broken:
            raise RuntimeError(self.broken)
        return SimpleNamespace(
            uuid=self.uuids[index].removeprefix("GPU-"),
            name="NVIDIA H200",
            major=9,
            minor=0,
            multi_processor_count=132,
            L2_cache_size=60 << 20,
            total_memory=139 << 30,
        )

    def set_device(self, index):
        self.current = index
