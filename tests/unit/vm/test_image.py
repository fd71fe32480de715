# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An image is built once for what goes into it, and is there as a whole or not at all."""

import pytest

from vm import image
from vm.debian import Release

RELEASE = Release("http://mirror/debian/", "trixie", "13.1")


@pytest.fixture
def built(monkeypatch):
    """The releases that were built; building writes the file disk.img."""
    releases = []

    def build(release, root, made, log):
        releases.append(release)
        made.disk.write_text(release.version)

    monkeypatch.setattr(image, "_build", build)
    return releases


def test_the_second_time_it_is_taken_as_it_is(tmp_path, built):
    first = image.ensure(RELEASE, tmp_path, tmp_path / "log")
    assert image.ensure(RELEASE, tmp_path, tmp_path / "log") == first
    assert first.disk.read_text() == "13.1"
    assert built == [RELEASE]


def test_another_point_release_takes_its_place(tmp_path, built):
    other = Release(RELEASE.mirror, "bookworm", "12.5")
    kept = image.ensure(other, tmp_path, tmp_path / "log")
    image.ensure(RELEASE, tmp_path, tmp_path / "log")
    newer = Release(RELEASE.mirror, "trixie", "13.2")
    made = image.ensure(newer, tmp_path, tmp_path / "log")
    assert sorted(tmp_path.iterdir()) == sorted([kept.folder, made.folder])


def test_what_goes_in_decides(tmp_path, built, monkeypatch):
    guest = tmp_path / "guest"
    guest.mkdir()
    monkeypatch.setattr(image, "HERE", guest)
    monkeypatch.setattr(image, "SOURCES", (guest,))
    monkeypatch.setattr(image, "__file__", str(guest / "image.py"))
    cache = tmp_path / "cache"

    def name():
        return image.ensure(RELEASE, cache, tmp_path / "log").folder.name

    program = tmp_path / "guest" / "program"
    (tmp_path / "guest" / "image.py").write_text("")
    program.write_text("one")
    program.chmod(0o644)
    names = [name()]
    program.write_text("two")
    names.append(name())
    program.chmod(0o755)
    names.append(name())
    program.rename(program.with_name("other"))
    names.append(name())
    assert len(set(names)) == 4
    assert name() == names[-1]


def test_a_build_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def build(release, root, made, log):
        made.disk.write_text("half")
        raise image.ImageError("mmdebstrap exited 1")

    monkeypatch.setattr(image, "_build", build)
    with pytest.raises(image.ImageError):
        image.ensure(RELEASE, tmp_path / "cache", tmp_path / "log")
    assert list((tmp_path / "cache").iterdir()) == []
