"""What every refusal looks like (RFC 9457)."""

from typing import Any

import httpx


def assert_problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The response is a problem document with that status and code; return its body."""
    assert response.status_code == status, f"{response.status_code}, not {status} {code}: {response.text}"
    assert response.headers["content-type"].split(";")[0] == "application/problem+json"
    problem = response.json()
    assert isinstance(problem, dict)
    assert problem["status"] == status
    assert problem["code"] == code, problem
    for member in ("type", "title", "detail"):
        assert isinstance(problem[member], str), problem
        assert problem[member], f"{member} is empty in {problem}"
    return problem
