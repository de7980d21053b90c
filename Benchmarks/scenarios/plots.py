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


def shade(fill, share):
    """A colour with that share of white in it."""
    parts = (int(fill[place:place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)


class Panel:
    """Bytes over time of one contender: a layer for each connection, and the bound as a dashed line."""

    WIDTH, HEIGHT, EDGE = 400, 190, 46

    def __init__(self, drawing, x, y, end, size):
        self.drawing, self.x, self.y, self.end, self.size = drawing, x + self.EDGE, y + 24, end, size
        self.across, self.down = self.WIDTH - self.EDGE - 16, self.HEIGHT - 54

    def point(self, time, kilobytes):
        """Clipped at the right edge and at the top, where bytes were sent twice."""
        return (f"{self.x + self.across * min(time / self.end, 1):.0f},"
                f"{self.y + self.down * (1 - min(kilobytes / self.size, 1)):.0f}")

    def frame(self, label, note):
        left, bottom, drawing = self.x, self.y + self.down, self.drawing
        drawing.text(left, self.y - 8, label, weight="bold")
        drawing.text(left + self.across, self.y - 8, note, size=11, anchor="end")
        drawing.line(left, bottom, left + self.across, bottom)
        drawing.line(left, self.y, left, bottom)
        drawing.text(left - 5, self.y + 4, f"{self.size / 1000:.0f} MB", size=10, anchor="end")
        for share in (0, 0.5, 1):
            drawing.text(
                left + self.across * share, bottom + 14, f"{self.end * share:.1f} s", size=10, anchor="middle")

    def layers(self, step, flows, fill):
        count = max(map(len, flows), default=0)
        below = [0.0] * (count + 1)
        for number, points in enumerate(flows):
            above, carried = [below[0]], 0
            for place in range(count):
                carried += points[place] if place < len(points) else 0
                above.append(below[place + 1] + carried)
            corners = [self.point(place * step, level) for place, level in enumerate(above)]
            corners += [self.point(place * step, level) for place, level in reversed(list(enumerate(below)))]
            self.drawing.parts.append(
                f'<polygon points="{" ".join(corners)}" fill="{shade(fill, (0.0, 0.35, 0.6)[number % 3])}"/>')
            below = above

    def bound(self, curve):
        corners = " ".join(self.point(time, kilobytes) for time, kilobytes in curve if time <= self.end)
        self.drawing.parts.append(f'<polyline points="{corners}" fill="none" stroke="#222222" stroke-dasharray="4 3"/>')


def flows(title, panels, curve, size):
    """`panels`: (label, wall, step, flows) of each contender; `curve`: (seconds, kB) of the bound; kB in all."""
    rows = -(-len(panels) // 2)
    drawing = Drawing(title, 60 + rows * Panel.HEIGHT)
    drawing.text(12, 42, "Bytes on the line, a layer for each connection. Dashed: slow start of sixteen, without loss.")
    # One that takes very long would make the others unreadable.
    end = min(max(wall for _, wall, _, _ in panels), 2.5 * min(wall for _, wall, _, _ in panels))
    for number, (label, wall, step, connections) in enumerate(panels):
        panel = Panel(drawing, 12 + number % 2 * (Panel.WIDTH + 20), 54 + number // 2 * Panel.HEIGHT, end, size)
        panel.layers(step, connections, colour(label))
        panel.bound(curve)
        panel.frame(label, seconds(wall))
    return drawing.svg()


def seconds(value):
    return f"{value * 1000:.1f} ms" if value < 0.1 else f"{value:.2f} s"
