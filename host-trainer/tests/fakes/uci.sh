# A scripted UCI engine for tests. It moves its king's knight out and home again from the usual start, so two of them
# draw by repetition after 8 half-moves.
#
# sh uci.sh [DEED [PLY [VALUE]]]: from half-move PLY of a game on (0 is White's first), do DEED instead of moving, or
# with a `score` of VALUE centipawns say that while moving. Where SCORE is set, every move has that score.
deed=${1:-shuffle} at=${2:-0} value=$3
ready=0 plies=0

move() {
    case $((plies % 4)) in
        0) set -- g1f3 ;;
        1) set -- g8f6 ponder f3g1 ;;
        2) set -- f3g1 ;;
        3) set -- f6g8 ;;
    esac
    if [ -n "$SCORE" ]; then echo "info depth 7 score cp $SCORE nodes 9 pv $1"; fi
    echo "bestmove $*"
}

go() {
    if [ "$plies" -lt "$at" ]; then
        move
        return
    fi
    case $deed in
        crash) echo "dying of $deed" >&2; exit 3 ;;
        hang) ;;
        slow) sleep 0.3; move ;;
        illegal) echo "bestmove e2e5" ;;
        flood) yes "info string nonsense" ;;
        none) echo "bestmove (none)" ;;
        score) echo "info depth 7 score cp $value nodes 9 pv g1f3"; move ;;
        *) move ;;
    esac
}

while read -r word rest; do
    case $word in
        uci) echo "id name Fake"; echo "option name Hash type spin default 1 min 1 max 8"; echo "uciok" ;;
        isready)
            ready=$((ready + 1))
            # Once for its start, once for its only game.
            if [ "$deed" = mayfly ] && [ "$ready" = 3 ]; then exit 4; fi
            if [ "$deed" != deaf ] || [ "$ready" = 1 ]; then echo "readyok"; fi
            ;;
        position)
            set -- $rest
            if [ "$1" = fen ]; then shift 6; fi
            plies=$(($# > 2 ? $# - 2 : 0))
            ;;
        go) go ;;
        quit) exit ;;
    esac
done
