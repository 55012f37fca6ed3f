"""Is the service in this container ready? Exits with 0 or 1; needs only the standard library, so that it is cheap."""

import os
import sys
import urllib.error
import urllib.request

_SERVICES = ("lobby", "session", "relay")
_PATIENCE = 2.0  # seconds for each; the container's own limit is 5


def status(url: str) -> int:
    """The status that an address answers with, 0 if it does not answer."""
    try:
        with urllib.request.urlopen(url, timeout=_PATIENCE) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def healthy(port: int) -> bool:
    """Some service is here and ready, and none that is here is not; one that is elsewhere answers 404."""
    here = f"http://127.0.0.1:{port}"
    answers = {status(f"{here}/{service}/health/ready") for service in _SERVICES}
    if answers == {404}:
        return status(f"{here}/") == 200  # `parlor web`, which has the pages and nothing else
    return 200 in answers and answers <= {200, 404}


if __name__ == "__main__":
    sys.exit(0 if healthy(int(os.environ.get("PARLOR_PORT", "8000"))) else 1)
