"""An animated SVG of what a terminal showed. It runs without a script, so it moves in an <img>, too."""

import html

WIDTH, HEIGHT, MARGIN, BAR = 8.4, 19, 16, 30
PAUSE = 3.0  # seconds at the end, before it begins again
COLOURS = {
    "default": "#d9e1de", "black": "#66716d", "red": "#ff9d90", "green": "#86cf7e", "brown": "#e5b96a",
    "blue": "#6fb4ec", "magenta": "#e57cc4", "cyan": "#5cc9b4", "white": "#ffffff"}
# Characters of the map of bytes: drawn as boxes, because fonts leave gaps between them.
BLOCKS = {"█": 1.0, "▓": 0.72, "▒": 0.48, "░": 0.26}


def colour(name):
    name = name.removeprefix("bright")
    return COLOURS.get(name, f"#{name}" if len(name) == 6 else COLOURS["default"])


def runs(row):
    """Yields (column, text, style), with blocks apart from letters, and without spaces."""
    column = 0
    for style, text in row:
        begin = 0
        while begin < len(text):
            kind = text[begin] if text[begin] in BLOCKS or text[begin] == " " else ""
            end = begin
            while end < len(text) and (text[end] if text[end] in BLOCKS or text[end] == " " else "") == kind:
                end += 1
            # A single space belongs to the words around it.
            if kind != " ":
                yield column + begin, text[begin:end], style
            begin = end
        column += len(text)


def line(row):
    parts = []
    for column, text, (name, bold) in runs(row):
        x, fill = column * WIDTH, colour(name)
        if text[0] in BLOCKS:
            parts.append(
                f'<rect x="{x:g}" y="2" width="{len(text) * WIDTH:g}" height="{HEIGHT - 4}" fill="#5cc9b4" '
                f'opacity="{BLOCKS[text[0]]:g}"/>')
        else:
            style = ("font-weight:600;" if bold else "") + ("" if name == "default" else f"fill:{fill}")
            attribute = f' style="{style}"' if style else ""
            length = len(text) * WIDTH
            parts.append(f'<text x="{x:g}" y="14" textLength="{length:g}"{attribute}>{html.escape(text)}</text>')
    return "".join(parts)


def picture(terminal, title):
    """The SVG of a terminal's frames; the last one stands still where nothing should move."""
    frames = terminal.frames
    length = frames[-1][0] + PAUSE
    width = terminal.columns * WIDTH + 2 * MARGIN
    height = terminal.rows * HEIGHT + MARGIN + BAR + 8
    names, drawn, steps = {}, [], []
    for index, (moment, rows) in enumerate(frames):
        uses = []
        for number, row in enumerate(rows):
            if row:
                name = names.setdefault(row, f"l{len(names)}")
                uses.append(f'<use href="#{name}" y="{number * HEIGHT}"/>')
        drawn.append(f'<g transform="translate({index * width:g} 0)">{"".join(uses)}</g>')
        steps.append(f"{100 * moment / length:.3f}%{{transform:translateX({-index * width:g}px)}}")
    lines = "".join(f'<g id="{name}">{line(row)}</g>' for row, name in names.items())
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">
<title>{html.escape(title)}</title>
<desc>{html.escape(terminal.text())}</desc>
<style>
text {{ font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: {COLOURS["default"]};
white-space: pre; }}
#film {{ animation: film {length:.2f}s step-end infinite; }}
@keyframes film {{ {"".join(steps)} }}
@media (prefers-reduced-motion: reduce) {{
#film {{ animation: none; transform: translateX({-(len(frames) - 1) * width:g}px); }} }}
</style>
<defs>{lines}</defs>
<rect x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="9" fill="#131716" stroke="#3a4340"/>
<circle cx="20" cy="17" r="5" fill="#4a5450"/><circle cx="37" cy="17" r="5" fill="#4a5450"/>
<circle cx="54" cy="17" r="5" fill="#4a5450"/>
<svg x="{MARGIN}" y="{BAR}" width="{width - 2 * MARGIN:g}" height="{height - BAR - 4:g}">
<g id="film">{"".join(drawn)}</g></svg>
</svg>
"""
