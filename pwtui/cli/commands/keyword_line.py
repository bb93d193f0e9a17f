"""Keyword lines as commands, such as `pw click e5`."""

from __future__ import annotations

from argparse import Namespace

from pwtui.cli.context import USAGE, Context
from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import line_keyword, line_of, named_values, parse
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request


async def keyword_command(arguments: Namespace, context: Context) -> int:
    """Run a keyword line; the default format is text."""
    name, *rest = arguments.words
    try:
        info = None if line_keyword(arguments.words) else catalog().get(name)
        if info is not None:
            request = Request(op=info.id, input=named_values(info.input, rest, name))
        else:
            request = parse(line_of(arguments.words))
    except KeywordError as error:
        if error.usage:
            context.terminal.err(f"usage: pw {error.usage}")
        context.terminal.err(f"pw: error: {error}")
        return USAGE
    from pwtui.repl.render import as_keywords

    caller = context.caller(profile=arguments.profile)._replace(impatient=True)
    response = await context.perform(context.with_options(request), caller)
    return context.show(response, format=context.format or "text", advice=as_keywords)


def as_keyword(op: str, words: list[str]) -> str:
    """A hint with the keyword line of these words; empty if they are not valid."""
    info = catalog().get(op)
    for keyword in info.keywords if info else ():
        try:
            parse(line := line_of([keyword.name, *words]))
        except KeywordError:
            continue
        return f"as keywords this is `pw {line}`"
    return ""
