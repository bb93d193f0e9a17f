"""config.json and cache.json: all keys, the written form, and the age of a cache."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pwtui.protocol.envelope import ContextDelta
from pwtui.state.config import ProfileCache, ProfileConfig

NOW = 1_700_000_000

WHOLE: dict[str, Any] = {
    "schema": 4,
    "defaults": {
        "browser": "firefox",
        "headless": False,
        "baseUrl": "https://example.com",
        "cdpEndpoint": "http://127.0.0.1:9222",
        "timeoutMs": 5000,
        "authFile": "auth/me.json",
        "useDaemon": False,
        "launchServer": True,
    },
    "har": {
        "path": "traffic.har",
        "contentPolicy": "omit",
        "mode": "minimal",
        "omitContent": True,
        "urlFilter": "**/api/**",
    },
    "network": {"blockPatterns": ["*.png"]},
    "downloads": {"dir": "files"},
    "protectedUrls": ["mail.example.com"],
}


def test_all_keys_of_a_config_are_read_and_written() -> None:
    config = ProfileConfig.model_validate(WHOLE)

    assert config.model_dump(mode="json") == WHOLE
    assert config.unknown_members() == []
    assert config.defaults.timeout_ms == 5000
    assert config.har is not None
    assert config.har.url_filter == "**/api/**"


def test_an_empty_config_has_its_parts_without_unset_keys() -> None:
    shown = ProfileConfig().model_dump(mode="json")

    assert shown == {"schema": 4, "defaults": {}, "network": {}, "downloads": {}}


def test_unset_defaults_are_left_out_and_false_and_zero_are_kept() -> None:
    config = ProfileConfig.model_validate({"defaults": {"useDaemon": False, "timeoutMs": 0}})

    assert config.model_dump(mode="json")["defaults"] == {"timeoutMs": 0, "useDaemon": False}


def test_unknown_members_are_kept_and_listed_at_every_level() -> None:
    value = {
        "schema": 4,
        "later": {"deep": [1, None]},
        "defaults": {"colour": "teal"},
        "har": {"path": "a.har", "extra": 1},
        "network": {"proxy": "x"},
        "downloads": {"keep": True},
    }

    config = ProfileConfig.model_validate(value)

    shown = config.model_dump(mode="json")
    assert shown["later"] == {"deep": [1, None]}
    assert shown["defaults"] == {"colour": "teal"}
    assert shown["har"]["extra"] == 1
    assert shown["network"] == {"proxy": "x"}
    assert shown["downloads"] == {"keep": True}
    assert sorted(config.unknown_members()) == [
        "defaults.colour",
        "downloads.keep",
        "har.extra",
        "later",
        "network.proxy",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"defaults": {"browser": "Chromium"}},
        {"defaults": {"headless": "yes"}},
        {"defaults": {"baseUrl": 5}},
        {"defaults": {"cdpEndpoint": 9222}},
        {"defaults": {"timeoutMs": -1}},
        {"defaults": {"timeoutMs": "5"}},
        {"defaults": {"authFile": True}},
        {"defaults": {"useDaemon": 1}},
        {"defaults": {"launchServer": "no"}},
        {"defaults": None},
        {"har": {"mode": "full"}},
        {"har": {"path": "a", "contentPolicy": "none"}},
        {"network": {"blockPatterns": "*"}},
        {"network": []},
        {"downloads": {"dir": 5}},
        {"protectedUrls": [5]},
        {"schema": -1},
        {"schema": "4"},
    ],
)
def test_a_wrong_value_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ProfileConfig.model_validate(wrong)


def test_all_fields_of_the_config_have_a_description() -> None:
    schema = ProfileConfig.model_json_schema()

    parts = [schema["$defs"][name]["properties"] for name in ("Defaults", "Har", "Network")]
    fields = {name: field for part in parts for name, field in part.items()}
    assert [name for name, field in fields.items() if not field.get("description")] == []


# The cache ---------------------------------------------------------------------------------------


def test_all_keys_of_a_cache_are_read_and_written() -> None:
    whole = {
        "schema": 4,
        "lastUrl": "https://example.com/",
        "lastSelector": "h1",
        "lastOutput": "a.png",
        "lastUsedAt": NOW,
    }

    assert ProfileCache.model_validate(whole).model_dump(mode="json") == whole
    assert ProfileCache().model_dump(mode="json") == {"schema": 4}


@pytest.mark.parametrize(
    ("age", "stale"), [(0, False), (3599, False), (3600, False), (3601, True), (-100, False)]
)
def test_a_cache_is_stale_after_more_than_an_hour(age: int, stale: bool) -> None:
    assert ProfileCache(last_used_at=NOW - age).is_stale(NOW) is stale


def test_a_cache_without_a_time_is_never_stale() -> None:
    assert ProfileCache(last_url="https://example.com/").is_stale(NOW) is False


def test_the_context_of_an_operation_is_saved_with_the_time() -> None:
    cache = ProfileCache(last_url="https://a/", last_selector="h1", last_output="a.png")

    assert cache.after(ContextDelta(url="https://b/"), NOW) == ProfileCache(
        last_url="https://b/", last_selector="h1", last_output="a.png", last_used_at=NOW
    )
    assert cache.last_url == "https://a/"


def test_an_empty_delta_changes_nothing() -> None:
    cache = ProfileCache(last_url="https://a/", last_used_at=NOW - 5000)

    assert cache.after(ContextDelta(), NOW) is None


def test_an_unchanged_context_is_not_written_within_a_minute() -> None:
    cache = ProfileCache(last_url="https://a/", last_used_at=NOW)

    assert cache.after(ContextDelta(url="https://a/"), NOW + 59) is None
    assert cache.after(ContextDelta(url="https://a/"), NOW + 60) == ProfileCache(
        last_url="https://a/", last_used_at=NOW + 60
    )


def test_a_page_in_use_does_not_become_stale_and_is_seldom_written() -> None:
    cache, writes = ProfileCache(), 0
    for second in range(0, 3 * 3600, 10):
        if learnt := cache.after(ContextDelta(url="https://a/", selector="h1"), NOW + second):
            cache, writes = learnt, writes + 1
        assert not cache.is_stale(NOW + second)

    assert writes == 3 * 60


def test_the_context_is_saved_after_the_clock_was_set_back() -> None:
    cache = ProfileCache(last_url="https://a/", last_used_at=NOW + 10_000)

    learnt = cache.after(ContextDelta(url="https://a/"), NOW)

    assert learnt is not None
    assert learnt.last_used_at == NOW


def test_unknown_members_are_kept_when_the_context_changes() -> None:
    cache = ProfileCache.model_validate({"later": 1})

    learnt = cache.after(ContextDelta(url="https://a/"), NOW)

    assert learnt is not None
    assert learnt.model_dump(mode="json")["later"] == 1
