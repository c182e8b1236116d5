"""What can go wrong at a provider (security: T40), and what a client must make of it: a table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.chat import odd_streams as odd
from tests.chat import plays
from tests.chat.dialects import Dialect
from tests.chat.fault_server import Play
from tests.chat.plays import SAID, TWO_ASKED, refuses, says, says_events


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a client makes of one answer."""

    error: str | None = None
    """The code of the `ModelError`, or nothing where the answer ends well."""
    text: str | None = ""
    """What a reader has seen by then; None: any amount."""
    calls: int = 0
    attempts: int = 1
    """Requests that arrive where one more try is allowed."""


WELL = Outcome(text=SAID.text)
BEGUN = SAID.texts[0]
"""What has come before the middle of a stream."""
NO_ANSWER = Outcome("model_no_answer")
NO_CONNECTION = Outcome("model_no_connection", attempts=2)
NO_HTTP = Outcome("model_no_http")
CUT_OFF = Outcome("model_cut_off", BEGUN)
NOT_UNDERSTOOD = Outcome("model_not_understood")
BROKEN_MIDWAY = Outcome("model_error_midway", BEGUN)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, and what must come out: of both dialects the same, unless said otherwise."""

    name: str
    play: Play
    openai: Outcome
    other: Outcome | None = None
    is_heavy: bool = False
    """It takes some seconds of work to be sure of it."""

    def outcome(self, dialect: Dialect) -> Outcome:
        """What must come out in *dialect*."""
        return self.openai if dialect == "openai" or self.other is None else self.other


FAULTS = (
    # Nothing, or no HTTP.
    Fault("never answers", plays.is_silent, NO_ANSWER),
    Fault("resets at once", plays.resets, NO_CONNECTION),
    Fault("closes at once", plays.closes, NO_CONNECTION),
    Fault("speaks no HTTP", plays.no_http, NO_HTTP),
    Fault("a header of 10 MB", plays.long_header, NO_HTTP),
    Fault("a header without end", plays.slow_header, NO_ANSWER),
    Fault("hints without end", plays.endless_interim, NO_ANSWER),
    # Refusals.
    Fault("401", refuses(401), Outcome("model_refused_key")),
    Fault("403", refuses(403), Outcome("model_refused_key")),
    Fault("404", refuses(404), Outcome("model_not_found")),
    Fault("410", refuses(410), Outcome("model_retired")),
    Fault("413", refuses(413), Outcome("model_too_large")),
    Fault("400", refuses(400), Outcome("model_refused_request")),
    Fault("400 for the content", refuses(400, "content_filter"), Outcome("model_content_filter")),
    Fault("400 for the length", refuses(400, "context_length_exceeded"), Outcome("model_too_large")),
    Fault("429", refuses(429, retry_after="0"), Outcome("model_too_many_requests", attempts=2)),
    Fault("429 for ages", refuses(429, retry_after="999999999"), Outcome("model_too_many_requests")),
    Fault(
        "429 until a date",
        refuses(429, retry_after="Fri, 31 Dec 2199 23:59:59 GMT"),
        Outcome("model_too_many_requests"),
    ),
    Fault("429 beyond numbers", refuses(429, retry_after="9" * 5000), Outcome("model_too_many_requests")),
    Fault("429 for a word", refuses(429, retry_after="soon"), Outcome("model_too_many_requests", attempts=2)),
    Fault("500", refuses(500), Outcome("model_overloaded", attempts=2)),
    Fault("503", refuses(503), Outcome("model_overloaded", attempts=2)),
    Fault("529", refuses(529), Outcome("model_overloaded", attempts=2)),
    Fault("a page with 502", plays.page_as_error, Outcome("model_overloaded", attempts=2)),
    Fault("redirects", plays.redirects_to("visit-0"), Outcome("model_redirected")),
    # Something else than a stream.
    Fault("a page with 200", plays.page_instead, NOT_UNDERSTOOD),
    Fault("an error with 200", plays.error_with_200, Outcome("model_overloaded")),
    Fault("JSON", plays.json_instead, WELL),
    Fault("JSON that asks", plays.json_calls_instead, Outcome(calls=1)),
    Fault("says to be text", plays.odd_content_type, WELL),
    Fault("says nothing of itself", plays.no_content_type, WELL),
    # Streams that end too early, or not at all.
    Fault("resets in the middle", plays.resets_in_body, CUT_OFF),
    Fault("a truncated chunk", plays.truncates_chunk, CUT_OFF),
    Fault("shorter than told", plays.is_shorter_than_told, CUT_OFF),
    Fault("ends in the middle", plays.ends_early, CUT_OFF),
    Fault("ends before it begins", plays.ends_before_text, NOT_UNDERSTOOD),
    Fault("is done before it begins", plays.only_done, Outcome(), NOT_UNDERSTOOD),
    Fault("no finish", says_events(odd.no_end, SAID), WELL, Outcome("model_cut_off", SAID.text)),
    Fault("stalls", plays.stalls, Outcome("model_stalled", BEGUN)),
    Fault("pings for ever", plays.pings_for_ever, Outcome("model_deadline", BEGUN)),
    Fault("drips", plays.drips, Outcome("model_deadline", None)),
    # Streams of something else.
    Fault("garbage", plays.garbage_body, NOT_UNDERSTOOD),
    Fault("garbage in events", plays.garbage_events, NOT_UNDERSTOOD),
    Fault("a line of 200 MB", plays.long_line, Outcome("model_not_understood", BEGUN)),
    Fault("an answer of 200 MB", plays.long_answer, Outcome("model_answer_too_long", None), is_heavy=True),
    Fault("a bomb", plays.zip_bomb, NOT_UNDERSTOOD),
    Fault("deep JSON", odd.deep_json, Outcome("model_not_understood", BEGUN)),
    Fault("a long number", odd.long_number, Outcome("model_not_understood", BEGUN)),
    Fault("an error in the stream", says_events(odd.error_in_stream, SAID), BROKEN_MIDWAY),
    Fault("an error as an event", odd.error_as_event, BROKEN_MIDWAY),
    # Streams that are odd, and mean something.
    Fault("a byte a packet", plays.split_anywhere, WELL),
    Fault("nobody says something first", says_events(odd.nobody_first, SAID), WELL),
    Fault("events of tomorrow", says_events(odd.unknown_events, SAID), WELL),
    Fault("two ends", says_events(odd.two_ends, SAID), WELL),
    Fault("holds after the end", odd.holds_after_the_end, WELL),
    Fault("resets after the end", odd.resets_after_the_end, WELL),
    Fault("goes on after the end", odd.goes_on_after_the_end, WELL),
    Fault("no usage", says(replace(SAID, usage=None)), WELL),
    Fault("half a pair", odd.half_pair, Outcome(text="😀 e \N{REPLACEMENT CHARACTER}")),
    Fault("half arguments", odd.half_arguments, Outcome(calls=1)),
    Fault("two calls", says(TWO_ASKED), Outcome(calls=2)),
    Fault("two calls in another order", says_events(odd.other_order, TWO_ASKED), Outcome(calls=2)),
    Fault("two calls with one id", says(odd.with_one_id(TWO_ASKED)), Outcome(calls=2)),
    Fault("odd types", says_events(odd.odd_types, SAID), WELL),
)
