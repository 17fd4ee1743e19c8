"""Build backend of `pip install ./python` (PEP 517): CMake builds, this packs.

It needs no package, so that pip needs no network.  The build directory is
build/ of the repository, or the one that YOKE_BUILD names; what is built there
already is used.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def _version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(yoke VERSION ([0-9.]+)", text)[1]


def _build():
    """The folder with the package."""
    if not (ROOT / "CMakeLists.txt").exists():
        raise SystemExit("yoke: the package is built inside the repository of "
                         "Yoke; its CMakeLists.txt is not in " + str(ROOT))
    build = ROOT / (os.environ.get("YOKE_BUILD") or "build")
    # pip hides the packages of the system from a backend; CMake asks the
    # interpreter for NumPy and must see them.
    env = {k: v for k, v in os.environ.items()
           if k not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
    run = lambda *command: subprocess.run(command, check=True, env=env,
                                          stdout=sys.stderr)
    run("cmake", "-S", str(ROOT), "-B", str(build),
        f"-DYOKE_PYTHON={sys.executable}")
    run("cmake", "--build", str(build), "--target", "yoke_python", "-j",
        str(os.cpu_count() or 1))
    return build / "python" / "yoke"


def _metadata():
    return ("Metadata-Version: 2.1\nName: yoke\n"
            f"Version: {_version()}\n"
            "Summary: Coupled differential-algebraic systems by dynamic "
            "iteration\nRequires-Python: >=3.9\nRequires-Dist: numpy\n")


def _tag():
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _wheel_file():
    return ("Wheel-Version: 1.0\nGenerator: yoke\nRoot-Is-Purelib: false\n"
            f"Tag: {_tag()}\n")


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path(metadata_directory) / f"yoke-{_version()}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(_metadata())
    (info / "WHEEL").write_text(_wheel_file())
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = _build()
    version = _version()
    info = f"yoke-{version}.dist-info"
    name = f"yoke-{version}-{_tag()}.whl"
    record = []

    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w",
                         zipfile.ZIP_DEFLATED) as wheel:
        def put(path, data, mode=0o644):
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            record.append(f"{path},sha256={digest.rstrip(b'=').decode()},"
                          f"{len(data)}")

        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        sources = {p.name for p in (HERE / "yoke").iterdir() if p.is_file()}
        for path in sorted(package.iterdir()):
            ours = path.name in sources or path.name == f"_core{suffix}" or \
                path.name.startswith("libyoke.so") or path.name == "yoke-worker"
            if path.is_file() and ours:
                put(f"yoke/{path.name}", path.read_bytes(),
                    path.stat().st_mode & 0o777)
        put(f"{info}/METADATA", _metadata().encode())
        put(f"{info}/WHEEL", _wheel_file().encode())
        put(f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
        record.append(f"{info}/RECORD,,")
        wheel.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("yoke: the source archive is that of the whole repository")
