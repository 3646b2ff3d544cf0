//! Strictly legal moves, in stages.
//!
//! Check and pin masks make every generated move legal, so nothing is made only to be found illegal. Moves come out
//! as sets of target squares; who wants a list unpacks them, who wants a count only counts bits.

use super::{Bitboard, Board, Colour, File, MAX_MOVES, Move, MoveKind, MoveList, Rank, Role, Square, Wing, attacks};

/// Which legal moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// All of them.
    All,
    /// Captures (en passant too) and all promotions.
    Noisy,
    /// What is not [`Noisy`](Self::Noisy).
    Quiet,
}

/// Takes generated moves in sets, or, where it does not care for sets, one by one.
pub trait MoveSink {
    /// Takes one move. Castling and en passant always come so.
    fn single(&mut self, mv: Move);

    /// A piece on `from` may go to each of `targets`.
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.single(Move::normal(from, to));
        }
    }

    /// Pawns reach each of `targets` by a step of that many square indices, without promoting.
    #[inline]
    fn pawns(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            self.single(Move::normal(to.offset(-step), to));
        }
    }

    /// Pawns reach each of `targets` on the last rank by that step, and become any of the four roles.
    #[inline]
    fn promotions(&mut self, step: i8, targets: Bitboard) {
        for to in targets {
            for role in Role::PROMOTIONS {
                self.single(Move::promotion(to.offset(-step), to, role));
            }
        }
    }
}

impl MoveSink for MoveList {
    fn single(&mut self, mv: Move) {
        // A board holds at most what a game can reach, and so never more moves than the list.
        let fits = self.push(mv);
        debug_assert!(fits.is_ok(), "more than {MAX_MOVES} moves");
    }
}

/// Counts moves.
struct Count(u64);

impl MoveSink for Count {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += u64::from(targets.len());
    }

    #[inline]
    fn pawns(&mut self, _: i8, targets: Bitboard) {
        self.0 += u64::from(targets.len());
    }

    #[inline]
    fn promotions(&mut self, _: i8, targets: Bitboard) {
        self.0 += 4 * u64::from(targets.len());
    }

    #[inline]
    fn single(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// Looks whether a move is among those generated.
struct Find {
    wanted: Move,
    found: bool,
}

impl MoveSink for Find {
    fn piece(&mut self, from: Square, targets: Bitboard) {
        self.found |=
            self.wanted.kind() == MoveKind::Normal && self.wanted.from() == from && targets.has(self.wanted.to());
    }

    fn pawns(&mut self, step: i8, targets: Bitboard) {
        let to = self.wanted.to();
        self.piece(to.offset(-step), targets & to.into());
    }

    fn promotions(&mut self, step: i8, targets: Bitboard) {
        let to = self.wanted.to();
        self.found |= self.wanted.promotes_to().is_some() && self.wanted.from() == to.offset(-step) && targets.has(to);
    }

    fn single(&mut self, mv: Move) {
        self.found |= mv == self.wanted;
    }
}

/// What a side may do under a stage, with the check and pins of the position applied.
struct Masks {
    us: Colour,
    king: Square,
    occupied: Bitboard,
    ours: Bitboard,
    theirs: Bitboard,
    /// Squares that end the check, or all.
    evasion: Bitboard,
    noisy: bool,
    quiet: bool,
}

impl Masks {
    fn new(board: &Board, stage: Stage) -> Self {
        let us = board.side_to_move;
        let king = board.king(us);
        let evasion = match board.checkers.first() {
            None => Bitboard::ALL,
            Some(_) if board.checkers.many() => Bitboard::EMPTY,
            Some(checker) => attacks::between(king, checker) | checker.into(),
        };
        Self {
            us,
            king,
            occupied: board.occupied(),
            ours: board.colour(us),
            theirs: board.colour(!us),
            evasion,
            noisy: stage != Stage::Quiet,
            quiet: stage != Stage::Noisy,
        }
    }

    /// Where a piece may land under the stage, check aside.
    fn landing(&self) -> Bitboard {
        match (self.noisy, self.quiet) {
            (true, true) => !self.ours,
            (true, false) => self.theirs,
            _ => !self.occupied,
        }
    }
}

impl Board {
    /// Gives all legal moves of a stage to a sink.
    #[inline]
    pub fn generate(&self, stage: Stage, sink: &mut impl MoveSink) {
        let masks = Masks::new(self, stage);
        let stepped_on = self.stepper_attacks(!masks.us);
        self.king_moves(&masks, stepped_on, sink);
        if self.checkers.many() {
            return;
        }
        self.piece_moves(&masks, sink);
        self.pawn_moves(&masks, sink);
        if masks.noisy {
            self.en_passant_moves(&masks, sink);
        }
        if masks.quiet {
            self.castling_moves(&masks, stepped_on, sink);
        }
    }

    /// The legal moves.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate(Stage::All, &mut moves);
        moves
    }

    /// How many legal moves there are.
    #[must_use]
    pub fn count_legal_moves(&self) -> u64 {
        let mut count = Count(0);
        self.generate(Stage::All, &mut count);
        count.0
    }

    /// Whether the side to move has a legal move: if not, it is mate or stalemate.
    #[must_use]
    pub fn has_legal_moves(&self) -> bool {
        self.count_legal_moves() != 0
    }

    /// Whether a move, from wherever it comes, is legal here.
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        let masks = Masks::new(self, Stage::All);
        let from = Bitboard::square(mv.from());
        if (from & masks.ours).is_empty() {
            return false;
        }
        let mut find = Find { wanted: mv, found: false };
        match (self.role_on(mv.from()), mv.kind()) {
            (Some(Role::King), MoveKind::Castling) => {
                self.castling_moves(&masks, self.stepper_attacks(!masks.us), &mut find);
            }
            (Some(Role::King), _) => self.king_moves(&masks, self.stepper_attacks(!masks.us), &mut find),
            (Some(Role::Pawn), MoveKind::EnPassant) => self.en_passant_moves(&masks, &mut find),
            (Some(Role::Pawn), _) => {
                let allowed = self.allowed(&masks, mv.from());
                Self::pawn_moves_of(&masks, from, allowed, &mut find);
            }
            (Some(role), MoveKind::Normal) => {
                let targets = attacks::piece(role, mv.from(), masks.occupied) & self.allowed(&masks, mv.from());
                find.found = targets.without(masks.ours).has(mv.to());
            }
            _ => {}
        }
        find.found
    }

    /// Where a piece of ours on `from`, other than the king, may go for the sake of its king.
    fn allowed(&self, masks: &Masks, from: Square) -> Bitboard {
        if self.pinned.has(from) { masks.evasion & attacks::line(masks.king, from) } else { masks.evasion }
    }

    #[inline]
    fn king_moves(&self, masks: &Masks, stepped_on: Bitboard, sink: &mut impl MoveSink) {
        // The king must not hide behind itself: sliders see through where it stood.
        let occupied = masks.occupied ^ masks.king.into();
        let mut targets = (attacks::king(masks.king) & masks.landing()).without(stepped_on);
        for to in targets {
            if self.slider_attacks(!masks.us, to, occupied) {
                targets ^= to.into();
            }
        }
        sink.piece(masks.king, targets);
    }

    /// The squares that pawns, knights and the king of `colour` attack.
    fn stepper_attacks(&self, colour: Colour) -> Bitboard {
        let steps = attacks::pawns(colour, self.pieces(colour, Role::Pawn)) | attacks::king(self.king(colour));
        self.pieces(colour, Role::Knight).into_iter().fold(steps, |steps, knight| steps | attacks::knight(knight))
    }

    /// Whether a bishop, rook or queen of `colour` attacks a square.
    fn slider_attacks(&self, colour: Colour, square: Square, occupied: Bitboard) -> bool {
        let diagonal =
            (self.pieces(colour, Role::Bishop) | self.pieces(colour, Role::Queen)) & attacks::diagonals(square);
        let straight =
            (self.pieces(colour, Role::Rook) | self.pieces(colour, Role::Queen)) & attacks::straights(square);
        // Most squares share no line with any slider: the slower look-ups are worth avoiding.
        diagonal.any() && (attacks::bishop(square, occupied) & diagonal).any()
            || straight.any() && (attacks::rook(square, occupied) & straight).any()
    }

    #[inline]
    fn piece_moves(&self, masks: &Masks, sink: &mut impl MoveSink) {
        let landing = masks.landing() & masks.evasion;
        // A pinned knight never stays on its line.
        for from in self.pieces(masks.us, Role::Knight).without(self.pinned) {
            sink.piece(from, attacks::knight(from) & landing);
        }
        let queens = self.pieces(masks.us, Role::Queen);
        for from in self.pieces(masks.us, Role::Bishop) | queens {
            sink.piece(from, attacks::bishop(from, masks.occupied) & landing & self.pin_line(masks, from));
        }
        for from in self.pieces(masks.us, Role::Rook) | queens {
            sink.piece(from, attacks::rook(from, masks.occupied) & landing & self.pin_line(masks, from));
        }
    }

    #[inline]
    fn pin_line(&self, masks: &Masks, from: Square) -> Bitboard {
        if self.pinned.has(from) { attacks::line(masks.king, from) } else { Bitboard::ALL }
    }

    #[inline]
    fn pawn_moves(&self, masks: &Masks, sink: &mut impl MoveSink) {
        let pawns = self.pieces(masks.us, Role::Pawn);
        Self::pawn_moves_of(masks, pawns.without(self.pinned), masks.evasion, sink);
        for from in pawns & self.pinned {
            Self::pawn_moves_of(masks, from.into(), self.allowed(masks, from), sink);
        }
    }

    /// The moves of a set of pawns to the squares of `allowed`, en passant aside.
    #[inline]
    fn pawn_moves_of(masks: &Masks, pawns: Bitboard, allowed: Bitboard, sink: &mut impl MoveSink) {
        let us = masks.us;
        let last_rank = Bitboard::relative_rank(7, us);
        let one = pawns.forward(us).without(masks.occupied);
        if masks.quiet {
            let two = (one & Bitboard::relative_rank(2, us)).forward(us).without(masks.occupied);
            sink.pawns(us.forward(), (one & allowed).without(last_rank));
            sink.pawns(2 * us.forward(), two & allowed);
        }
        if masks.noisy {
            let ahead = pawns.forward(us);
            let targets = masks.theirs & allowed;
            for (step, captures) in [(1, ahead.east() & targets), (-1, ahead.west() & targets)] {
                sink.pawns(us.forward() + step, captures.without(last_rank));
                if (captures & last_rank).any() {
                    sink.promotions(us.forward() + step, captures & last_rank);
                }
            }
            if (one & allowed & last_rank).any() {
                sink.promotions(us.forward(), one & allowed & last_rank);
            }
        }
    }

    #[inline]
    fn en_passant_moves(&self, masks: &Masks, sink: &mut impl MoveSink) {
        let Some(to) = self.en_passant else { return };
        let captured = Bitboard::square(to.offset(-masks.us.forward()));
        for from in attacks::pawn(!masks.us, to) & self.pieces(masks.us, Role::Pawn) {
            // Two pawns leave one rank at once, which no pin mask foresees: look at the board as it will be.
            let occupied = masks.occupied ^ captured ^ from.into() ^ to.into();
            let attackers = self.attackers(masks.king, occupied) & masks.theirs;
            if attackers.without(captured).is_empty() {
                sink.single(Move::en_passant(from, to));
            }
        }
    }

    #[inline]
    fn castling_moves(&self, masks: &Masks, stepped_on: Bitboard, sink: &mut impl MoveSink) {
        if self.in_check() || self.castling.is_none() {
            return;
        }
        for wing in Wing::ALL {
            if let Some(rook) = self.castling.rook(masks.us, wing)
                && self.may_castle(masks, stepped_on, wing, rook)
            {
                sink.single(Move::castling(masks.king, rook));
            }
        }
    }

    fn may_castle(&self, masks: &Masks, stepped_on: Bitboard, wing: Wing, rook: Square) -> bool {
        let rank: Rank = masks.king.rank();
        let landing = |file: File| Square::at(file, rank);
        let (king_to, rook_to) = (landing(wing.king_file()), landing(wing.rook_file()));
        let others = masks.occupied.without(Bitboard::square(masks.king) | rook.into());

        let king_path = attacks::between(masks.king, king_to) | king_to.into();
        let rook_path = attacks::between(rook, rook_to) | rook_to.into();
        if ((king_path | rook_path) & others | king_path & stepped_on).any() {
            return false;
        }
        // The rook leaves too, and in Chess960 may uncover its king; a rook that lands can only shield it.
        !king_path.into_iter().any(|square| self.slider_attacks(!masks.us, square, others))
    }
}
