"""A bar on standard error while a script works, where somebody watches; it looks like that of progress.bash."""

import os
import shutil
import sys
import time

WIDTH = 24
drawn = False


def is_watched():
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def steps(title, numbers, total=None):
    """Each of `numbers`, with a bar that says how far that is and what is left of the time; `total` is about how many."""
    total = total or len(numbers)
    began = shown = time.monotonic()
    for done, number in enumerate(numbers):
        now = time.monotonic()
        if is_watched() and now - shown >= 0.5:
            shown = now
            draw(title, min(done, total), total, int(now - began))
        yield number
    clear()


def say(text):
    """Prints a line of the result; the bar comes back below it."""
    clear()
    print(text, flush=True)


def draw(title, done, total, elapsed):
    global drawn
    drawn = True
    filled = done * WIDTH // total
    line = f"{title} {'#' * filled}{'.' * (WIDTH - filled)} {done * 100 // total}% ({done} of {total}), {spoken(elapsed)}"
    if done * 20 >= total and elapsed >= 5:
        line += f", about {spoken(elapsed * (total - done) // done)} left"
    print(f"\r\033[K{line[:shutil.get_terminal_size().columns - 1]}", end="", file=sys.stderr, flush=True)


def clear():
    global drawn
    if drawn:
        drawn = False
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def spoken(seconds):
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"
