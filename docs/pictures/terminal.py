"""A terminal in memory: runs programs in it, and keeps what it showed and when."""

import copy
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import pyte

# Nothing faster than this is seen.
FRAME = 0.1
KEY = 0.035
PROMPT = "$ "
LONGEST = 60  # seconds that a line may take


class Screen(pyte.Screen):
    """A screen that comes back as it was when a program that took all of it ends."""

    WHOLE = 1049
    before = None

    def set_mode(self, *modes, **options):
        super().set_mode(*modes, **options)
        if self.WHOLE in modes and not self.before:
            self.before = {number: dict(row) for number, row in self.buffer.items()}, copy.copy(self.cursor)
            self.erase_in_display(2)

    def reset_mode(self, *modes, **options):
        super().reset_mode(*modes, **options)
        if self.WHOLE in modes and self.before:
            (rows, self.cursor), self.before = self.before, None
            self.erase_in_display(2)
            for number, row in rows.items():
                self.buffer[number].update(row)


class Terminal:
    """Its frames are pairs of a moment in seconds, and the rows of the screen at that moment."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.screen = Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.now, self.frames = 0.0, []
        self.show(PROMPT)

    def show(self, text):
        self.stream.feed(text.replace("\n", "\r\n").encode())
        self.keep()

    def keep(self):
        rows = [self.row(line) for line in range(self.rows)]
        if self.frames and self.frames[-1][0] >= self.now:
            self.frames.pop()
        if not self.frames or self.frames[-1][1] != rows:
            self.frames.append((self.now, rows))

    def row(self, line):
        """The runs of one colour in a line: pairs of a style and a text, in the order of columns."""
        runs = []
        for column in range(self.columns):
            cell = self.screen.buffer[line][column]
            style = (cell.fg, cell.bold)
            if runs and runs[-1][0] == style:
                runs[-1][1] += cell.data
            else:
                runs.append([style, cell.data])
        while runs and not runs[-1][1].strip():
            runs.pop()
        return tuple((style, text) for style, text in runs)

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def wait(self, seconds):
        """Lets time pass in the picture alone."""
        self.now += seconds
        self.keep()

    def type(self, text):
        for character in text:
            self.now += KEY
            self.show(character)
        self.wait(0.4)
        self.show("\n")

    def run(self, line, environment, directory, when=None, key=None):
        """Types a line of shell, runs it, and returns its status.

        Once `when` is true of the screen's text, the key is pressed; without a key, the program is killed.
        """
        self.type(line)
        controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, 0, 0))
        process = subprocess.Popen(
            ["sh", "-c", f"exec {line}" if when else line], stdin=terminal, stdout=terminal, stderr=terminal,
            cwd=directory, env={**environment, "TERM": "xterm-256color", "LANG": "C.UTF-8"}, start_new_session=True)
        os.close(terminal)
        began, start = time.monotonic(), self.now
        while self.fed(controller):
            self.now = start + time.monotonic() - began
            if self.now > start + LONGEST:
                process.kill()
            if self.now - self.frames[-1][0] >= FRAME:
                self.keep()
            if when and when(self.text()):
                when = None
                if key:
                    os.write(controller, key)
                else:
                    process.send_signal(signal.SIGKILL)
        os.close(controller)
        status = process.wait()
        self.now = start + time.monotonic() - began
        if status == -signal.SIGKILL:
            self.show("\n" if self.screen.cursor.x else "")
            self.show("Killed\n")
        self.show(PROMPT)
        return status

    def fed(self, controller):
        """Feeds what came within a part of a frame; false if the program has closed the terminal."""
        if not select.select([controller], [], [], FRAME / 4)[0]:
            return True
        try:
            data = os.read(controller, 1 << 16)
        except OSError:  # of Linux, when the last program has gone
            return False
        self.stream.feed(data)
        return bool(data)
