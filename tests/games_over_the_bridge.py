#!/usr/bin/env python3
"""Ten games under python-chess's engine module: the emulated board behind the bridge against the native program.

    games_over_the_bridge.py --bridge knightlight-bridge --opponent knightlight --board qemu-mps2-an386

In two of the games the cable between the bridge and the board is pulled, once while the board thinks and once while it
does not. Every move must be legal, and no side may lose on time.
"""

import argparse
import fcntl
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import threading
import time
import tty

import chess
import chess.engine

SECONDS, INCREMENT = 2.0, 0.15
# What the emulator's turn on a busy machine costs a move, in milliseconds; a real board is on nobody's turn.
OVERHEAD = 120
MOST_PLIES = 100
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
    """Plays a game; engines are the board's and the opponent, and change colours from game to game."""
    board = chess.Board()
    for move in OPENINGS[number // 2 % len(OPENINGS)].split():
        board.push_san(move)
    clocks = [SECONDS, SECONDS]
    while not board.is_game_over(claim_draw=True) and board.ply() < MOST_PLIES:
        side = 0 if board.turn == chess.WHITE else 1
        engine = engines[(side + number) % 2]
        is_board = engine is engines[0]
        pulled = is_board and (number, board.fullmove_number) in [(3, 9), (6, 12)]
        if pulled:
            # As the board thinks, and just before it is asked to.
            threading.Timer(0.05 if number == 3 else 0, cable.pull).start()
            threading.Timer(0.3, cable.put_in).start()
        limit = chess.engine.Limit(
            white_clock=clocks[0], black_clock=clocks[1], white_inc=INCREMENT, black_inc=INCREMENT
        )
        start = time.monotonic()
        # An illegal move is an error here.
        move = engine.play(board, limit, game=number).move
        spent = time.monotonic() - start
        # Nobody pulls a cable and has no time for it.
        clocks[side] += INCREMENT - (0 if pulled else spent)
        if clocks[side] < 0:
            sys.exit(f"game {number + 1}: {'the board' if is_board else 'the opponent'} lost on time at ply {board.ply()}")
        board.push(move)
    name = ["board", "native"]
    pairing = f"{name[number % 2]:6} - {name[(1 + number) % 2]:6}"
    left = f"clocks {clocks[0]:.1f} s, {clocks[1]:.1f} s"
    print(f"game {number + 1:2}: {pairing} {board.result(claim_draw=True):7} {board.ply():3} plies, {left}", flush=True)


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
                board.configure({"Move Overhead": OVERHEAD})
                for number in range(arguments.games):
                    play(number, [board, opponent], cable)
    finally:
        emulator.kill()


main()
