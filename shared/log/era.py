"""When what this process remembers of the logs must be compared with the truth again."""


class Era:
    """Ends when a connection breaks or a slot gets another owner: the next server may not have all that the last had.

    What was seen in an earlier era is in doubt until the log's last entry has been found where it was.
    """

    def __init__(self) -> None:
        self.now = 1

    def end(self) -> None:
        self.now += 1
