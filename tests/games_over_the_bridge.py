#!/usr/bin/env python3
"""Ten games under python-chess's engine module: the emulated board behind the bridge against the native program.

    games_over_the_bridge.py --bridge knightlight-bridge --opponent knightlight --board qemu-mps2-an386

In two of the games the cable between the bridge and the board is pulled, once while the board thinks and once while it
does not. Every move must be legal, and come in time.
"""

import argparse
import fcntl
import os
import pathlib
import re
import select
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tty

import chess
import chess.engine

# What the board thinks, in seconds, and what the half of its moves may take longer until they are here. The others may
# have to wait for the emulator's turn on a busy machine, but not for ever.
SECONDS, LOSS, PATIENCE = 0.2, 0.25, 30
# What the opponent thinks, so that games end.
NODES = 100
MOST_PLIES = 120
OPENINGS = ["e4 e5 Nf3 Nc6", "d4 d5 c4 e6", "e4 c5 Nf3 d6", "c4 e5 Nc3 Nf6", "e4 e6 d4 d5"]


class Cable:
    """Carries bytes between a board's port and one of its own that it can take away and give back."""

    def __init__(self, board, path):
        self.path = path
        self.board = os.open(board, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        tty.setraw(self.board)
        self.end = None
        self.lock = threading.Lock()
        threading.Thread(target=self.carry, daemon=True).start()
        self.put_in()

    def put_in(self):
        end, port = os.openpty()
        tty.setraw(port)
        fcntl.fcntl(end, fcntl.F_SETFL, os.O_NONBLOCK)
        os.symlink(os.ttyname(port), self.path)
        os.close(port)
        with self.lock:
            self.end = end

    def pull(self):
        os.unlink(self.path)
        with self.lock:
            os.close(self.end)
            self.end = None

    def carry(self):
        while True:
            with self.lock:
                ends = [self.board] + ([] if self.end is None else [self.end])
                for ready in select.select(ends, [], [], 0.005)[0]:
                    try:
                        self.pass_on(ready)
                    except (BlockingIOError, OSError):
                        # Nobody has opened the port, or somebody has closed it.
                        pass
            time.sleep(0.001)

    def pass_on(self, ready):
        data = os.read(ready, 4096)
        to = self.end if ready == self.board else self.board
        while data and to is not None:
            try:
                data = data[os.write(to, data) :]
            except BlockingIOError:
                select.select([], [to], [], 0.1)


def start_board(program):
    emulator = subprocess.Popen(
        ["qemu-system-arm", "-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", "pty", "-kernel", program],
        stdout=subprocess.PIPE,
        text=True,
    )
    return emulator, re.search(r"/dev/\S+", emulator.stdout.readline())[0]


def play(number, engines, cable):
    """Plays a game; engines are the board and its opponent, and change colours from game to game."""
    board = chess.Board()
    for move in OPENINGS[number // 2 % len(OPENINGS)].split():
        board.push_san(move)
    colour = chess.WHITE if number % 2 == 0 else chess.BLACK
    losses = []
    while not board.is_game_over(claim_draw=True) and board.ply() < MOST_PLIES:
        if board.turn != colour:
            board.push(engines[1].play(board, chess.engine.Limit(nodes=NODES), game=number).move)
            continue
        if (number, board.fullmove_number) in [(3, 9), (6, 12)]:
            # As the board thinks, and just before it is asked to.
            threading.Timer(0.05 if number == 3 else 0, cable.pull).start()
            threading.Timer(0.3, cable.put_in).start()
        start = time.monotonic()
        # An illegal move is an error here.
        board.push(engines[0].play(board, chess.engine.Limit(time=SECONDS), game=number).move)
        losses.append(time.monotonic() - start - SECONDS)
    pairing = "board - native" if colour == chess.WHITE else "native - board"
    half, worst = statistics.median(losses), max(losses)
    times = f"a move came {half * 1000:4.0f} ms late, the worst {worst * 1000:4.0f} ms"
    print(f"game {number + 1:2}: {pairing} {board.result(claim_draw=True):7} {board.ply():3} plies, {times}", flush=True)
    if half > LOSS or worst > PATIENCE:
        sys.exit("that is too late")


def main():
    parser = argparse.ArgumentParser()
    for name in ["bridge", "opponent", "board"]:
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--games", type=int, default=10)
    arguments = parser.parse_args()
    emulator, port = start_board(arguments.board)
    try:
        with tempfile.TemporaryDirectory() as folder:
            cable = Cable(port, str(pathlib.Path(folder) / "ttyACM0"))
            with (
                chess.engine.SimpleEngine.popen_uci([arguments.bridge, cable.path], timeout=60) as board,
                chess.engine.SimpleEngine.popen_uci(arguments.opponent, timeout=60) as opponent,
            ):
                for number in range(arguments.games):
                    play(number, [board, opponent], cable)
    finally:
        emulator.kill()


main()
