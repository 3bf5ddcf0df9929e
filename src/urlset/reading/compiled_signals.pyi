from array import array

class LocSignals:
    same_head: bool
    def batch(self, texts: list[str | None]) -> array[int]: ...
