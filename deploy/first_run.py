"""Make what a deployment must not share with any other: the secret, a password, a certificate. Keeps what is there.

Run by compose.yaml before everything else, with the directory to fill as its argument.
"""

import datetime
import os
import secrets
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_READABLE = 0o444  # by the users of the containers that mount the directory, who differ


def fill(directory: Path) -> None:
    """Put each file there unless it is there already; PARLOR_SECRET is taken from the environment if given."""
    given = os.environ.get("PARLOR_SECRET")
    if given:
        if len(given) < 32:
            sys.exit("PARLOR_SECRET needs at least 32 characters, for example from: openssl rand -base64 48")
        _write(directory / "parlor_secret", given)
    _keep(directory / "parlor_secret", secrets.token_urlsafe(48))
    _keep(directory / "postgres_password", secrets.token_urlsafe(24))
    password = (directory / "postgres_password").read_text()
    _write(directory / "parlor_database_url", f"postgresql://parlor:{password}@postgres/parlor")
    if not (directory / "tls.crt").exists():
        certificate, key = self_signed(os.environ.get("PARLOR_DOMAIN", "localhost"))
        _write(directory / "tls.key", key)
        _write(directory / "tls.crt", certificate)


def self_signed(domain: str) -> tuple[str, str]:
    """A certificate that browsers will warn of, and its key: replace both by real ones."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, domain)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=365))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(domain)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    encoded = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), encoded.decode()


def _keep(path: Path, content: str) -> None:
    if not path.exists():
        _write(path, content)


def _write(path: Path, content: str) -> None:
    draft = path.with_suffix(path.suffix + ".new")
    draft.write_text(content)
    draft.chmod(_READABLE)
    draft.rename(path)  # whole or not at all


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
