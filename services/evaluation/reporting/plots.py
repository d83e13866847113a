"""Plots as SVG: values between 0 and 1 by steps, and bars. The same data give the same bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

COLOURS: Final = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8c6d31", "#7b4fa3", "#444444", "#999999",
)  # fmt: skip
"""Okabe and Ito's colours, which stay apart for the colour-blind, and a few darker ones."""
WIDTH, HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 110, 34, 40
_LINE: Final = 14


@dataclass(frozen=True, slots=True)
class Point:
    """A value with its interval."""

    value: float
    low: float
    high: float


def lines(
    title: str, steps: Sequence[str], series: Mapping[str, Sequence[Point | None]], *, dashed: Collection[str] = ()
) -> str:
    """Each series as a line over the steps, its name at its end; whiskers are the 95 % intervals.

    `series` have a point for each step, or None where there is none. Those named in `dashed` are drawn so.
    """
    body = [*_frame(title), *_axis()]
    across = [_x(place, len(steps)) for place in range(len(steps))]
    for x, step in zip(across, steps, strict=True):
        body.append(_text(x, HEIGHT - _BOTTOM + 18, step, anchor="middle"))
    labels: list[tuple[float, str, str]] = []
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        drawn = [
            (x + 1.5 * (number - len(series) / 2), p) for x, p in zip(across, points, strict=True) if p is not None
        ]
        path = " ".join(f"{x:.1f},{_y(p.value):.1f}" for x, p in drawn)
        dashes = ' stroke-dasharray="5 4"' if name in dashed else ""
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        for x, p in drawn:
            body.append(_segment(x, _y(p.low), x, _y(p.high), colour, 0.35))
            body.append(
                f'<circle cx="{x:.1f}" cy="{_y(p.value):.1f}" r="3" fill="{colour}">'
                f"<title>{escape(name)}: {p.value:.3f} ({p.low:.3f}–{p.high:.3f})</title></circle>"
            )
        if drawn:
            labels.append((_y(drawn[-1][1].value), name, colour))
    body += _labels(labels)
    return _svg(title, body)


def bars(title: str, groups: Sequence[str], series: Mapping[str, Sequence[Point | None]]) -> str:
    """Bars of the series side by side in each group, with 95 % whiskers."""
    body = [*_frame(title), *_axis()]
    room = (WIDTH - _LEFT - _RIGHT) / max(1, len(groups))
    thick = room * 0.8 / max(1, len(series))
    for place, group in enumerate(groups):
        left = _LEFT + place * room + room * 0.1
        body.append(_text(left + room * 0.4, HEIGHT - _BOTTOM + 18, group, anchor="middle"))
        for number, points in enumerate(series.values()):
            point = points[place]
            if point is not None:
                body += _bar(left + number * thick, thick * 0.9, point, COLOURS[number % len(COLOURS)])
    legend = [(_TOP + 8.0 + n * _LINE, name, COLOURS[n % len(COLOURS)]) for n, name in enumerate(series)]
    return _svg(title, body + _labels(legend))


def counts(title: str, values: Mapping[str, float]) -> str:
    """A horizontal bar for each name, as long as its value against the largest."""
    largest = max(values.values(), default=1.0) or 1.0
    height = _TOP + 10 + 22 * max(1, len(values))
    body = list(_frame(title))
    for place, (name, value) in enumerate(values.items()):
        y = _TOP + 6 + 22 * place
        length = (WIDTH - 330) * value / largest
        body.append(f'<rect x="230" y="{y}" width="{length:.1f}" height="16" fill="{COLOURS[0]}"/>')
        body.append(_text(222, y + 12, name, anchor="end"))
        body.append(_text(236 + length, y + 12, f"{value:,.2f}".rstrip("0").rstrip("."), anchor="start"))
    return _svg(title, body, height)


def _bar(x: float, width: float, point: Point, colour: str) -> Iterator[str]:
    top = _y(point.value)
    yield (
        f'<rect x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="{_y(0.0) - top:.1f}" fill="{colour}">'
        f"<title>{point.value:.3f} ({point.low:.3f}–{point.high:.3f})</title></rect>"
    )
    yield _segment(x + width / 2, _y(point.low), x + width / 2, _y(point.high), "#222222", 0.6)


def _frame(title: str) -> Iterator[str]:
    yield _text(_LEFT, 18, title, anchor="start", size=13, weight="bold")


def _axis() -> Iterator[str]:
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        yield _segment(_LEFT, y, WIDTH - _RIGHT, y, "#888888", 0.3)
        yield _text(_LEFT - 6, y + 4, f"{tenth / 10:.1f}", anchor="end")


def _labels(wanted: Sequence[tuple[float, str, str]]) -> list[str]:
    """Names at the right, pushed down where they would lie on each other."""
    placed: list[str] = []
    floor = 0.0
    for y, name, colour in sorted(wanted):
        floor = max(y, floor + _LINE)
        placed.append(_text(WIDTH - _RIGHT + 10, floor + 4, name, anchor="start", colour=colour))
    return placed


def _x(place: int, steps: int) -> float:
    room = WIDTH - _LEFT - _RIGHT - 40
    return _LEFT + 20 + (room * place / (steps - 1) if steps > 1 else room / 2)


def _y(value: float) -> float:
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1.0 - min(1.0, max(0.0, value)))


def _segment(x1: float, y1: float, x2: float, y2: float, colour: str, opacity: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-opacity="{opacity}"/>'
    )


def _text(
    x: float, y: float, text: str, *, anchor: str, size: int = 11, weight: str = "normal", colour: str = "#222222"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" fill="{colour}">'
        f"{escape(text)}</text>"
    )


def _svg(title: str, body: Sequence[str], height: int = HEIGHT) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img"'
        f' aria-label="{escape(title, quote=True)}" font-family="system-ui, sans-serif">'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    )
    return head + "".join(body) + "</svg>"
