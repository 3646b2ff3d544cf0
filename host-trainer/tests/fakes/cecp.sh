# A scripted xboard engine without `setboard`, for tests. It plays as uci.sh does.
#
# sh cecp.sh [DEED [PLY [TEXT]]]: from half-move PLY of a game on, do DEED. `say` says TEXT and does not move; `say-first`
# says it and moves; `say-after` moves and says it then; `version1` knows no features and speaks the old way;
# `stutter` says each move in two old ways, the second when it has to move again.
deed=${1:-shuffle} at=${2:-0} text=$3
plies=0 forced=0 last=

move() {
    case $((plies % 4)) in
        0) mv=g1f3 ;;
        1) mv=g8f6 ;;
        2) mv=f3g1 ;;
        3) mv=f6g8 ;;
    esac
    plies=$((plies + 1))
    case $deed in
        version1) echo "My move is: $mv" ;;
        stutter) if [ -n "$last" ]; then echo "My move is : $last"; fi; echo "7. ... $mv"; last=$mv ;;
        *) echo "move $mv" ;;
    esac
}

think() {
    if [ "$plies" -lt "$at" ]; then
        move
        return
    fi
    case $deed in
        say) echo "$text" ;;
        say-first) echo "$text"; move ;;
        say-after) move; echo "$text" ;;
        crash) exit 3 ;;
        *) move ;;
    esac
}

play() {
    if [ "$deed" = refuse ] && [ "$plies" -ge "$at" ]; then
        echo "Illegal move: $1"
        return
    fi
    plies=$((plies + 1))
    if [ "$forced" = 0 ]; then think; fi
}

while read -r word rest; do
    case $word in
        protover)
            if [ "$deed" != version1 ]; then
                echo 'feature myname="Old Fake" ping=1 usermove=1 colors=0 option="Depth -spin 1 1 9"'
                echo 'feature sigint=0 done=1'
            fi
            ;;
        ping) if [ "$deed" != version1 ]; then echo "pong $rest"; fi ;;
        new) plies=0 forced=0 ;;
        force) forced=1 ;;
        usermove) play "$rest" ;;
        [a-h][1-8][a-h][1-8]) play "$word" ;;
        go) forced=0; think ;;
        setboard) echo "Error (unknown command): setboard" ;;
        quit) exit ;;
    esac
done
