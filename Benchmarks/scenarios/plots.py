"""Bars as SVG, each file complete in itself."""

from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, ROW = 860, 330, 80, 22
COLOURS = {"segdl": "#0b6e4f", "curl": "#4c78a8", "aria2c": "#e08214", "axel": "#b2567f", "wget2": "#8c7a5b",
           "rclone": "#d4b106"}
OTHER = "#888888"


def colour(label):
    return COLOURS.get(label.split()[0].rstrip(","), OTHER)


class Drawing:
    def __init__(self, title, height):
        self.parts, self.height = [], height
        self.text(12, 22, title, size=15, weight="bold")

    def text(self, x, y, text, size=12, anchor="start", weight="normal", fill="#222222"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{fill}">{escape(text)}</text>')

    def bar(self, x, y, width, height, fill):
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" fill="{fill}"/>')

    def line(self, x1, y1, x2, y2, stroke="#222222", dash=""):
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}"{dash}/>')

    def svg(self):
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" font-family="sans-serif">\n'
            f'<rect width="{WIDTH}" height="{self.height}" fill="white"/>\n{body}\n</svg>\n')


def times(title, rows, ideal=None):
    """A bar for each contender: (label, median, least, most) in seconds. Short is good."""
    drawing = Drawing(title, 50 + ROW * len(rows) + (20 if ideal else 0))
    most = max([row[3] for row in rows] + [ideal or 0])
    scale = (WIDTH - LEFT - RIGHT) / most
    for number, (label, median, low, high) in enumerate(rows):
        y = 40 + ROW * number
        drawing.text(LEFT - 8, y + 13, label, anchor="end")
        drawing.bar(LEFT, y + 2, median * scale, ROW - 6, colour(label))
        drawing.line(LEFT + low * scale, y + ROW / 2 - 1, LEFT + high * scale, y + ROW / 2 - 1)
        drawing.text(LEFT + high * scale + 6, y + 13, seconds(median))
    if ideal:
        x = LEFT + ideal * scale
        drawing.line(x, 36, x, 40 + ROW * len(rows), dash="4 3")
        drawing.text(x, 54 + ROW * len(rows), f"ideal {seconds(ideal)}", anchor="middle")
    return drawing.svg()


def overview(title, groups):
    """The speed of each tool where segdl's is 1: groups of (name, {tool: relative speed}). Long is good."""
    tools = [tool for tool in COLOURS if any(tool in speeds for _, speeds in groups)]
    thick, gap = 9, 12
    height = 66 + sum(thick * len(speeds) + gap for _, speeds in groups)
    drawing = Drawing(title, height)
    x = LEFT
    for tool in tools:
        drawing.bar(x, 34, 12, 10, COLOURS[tool])
        drawing.text(x + 17, 43, tool)
        x += 85
    most = max(speed for _, speeds in groups for speed in speeds.values())
    scale = (WIDTH - LEFT - RIGHT) / most
    y = 58
    drawing.line(LEFT + scale, y - 4, LEFT + scale, height - 8, stroke="#bbbbbb", dash="4 3")
    for name, speeds in groups:
        drawing.text(LEFT - 8, y + thick * len(speeds) / 2 + 4, name, anchor="end")
        for tool in tools:
            if tool in speeds:
                drawing.bar(LEFT, y, speeds[tool] * scale, thick - 1, COLOURS[tool])
                drawing.text(LEFT + speeds[tool] * scale + 4, y + thick - 1, f"{speeds[tool]:.2f}", size=9)
                y += thick
        y += gap
    return drawing.svg()


def seconds(value):
    return f"{value * 1000:.1f} ms" if value < 0.1 else f"{value:.2f} s"
