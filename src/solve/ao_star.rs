//! AO*: best-first search of an AND/OR graph.
//!
//! # The graph
//! A node is a position. To the side that tries to win there it is an OR node, one move is
//! enough; to the side that tries to win against it, an AND node, every move must fail. Both sides
//! try, so each node carries two costs, both lower bounds in plies that only grow:
//!
//! - `win`: the side to move cannot win sooner; 1 + the least `loss` among the children;
//! - `loss`: it cannot be beaten sooner; 1 + the greatest `win` among the children.
//!
//! Nodes are shared: a position reached by several ways is one node with several parents.
//!
//! # The search
//! A game's quick look at a position gives both costs their first, admissible value. The cheaper
//! of the root's two costs is the hypothesis in hand. The best partial solution for it follows, at
//! an OR node, the marked best connector (the child with the least cost), and at an AND node every
//! child. An unsolved tip of it is expanded, and costs are revised upward through all parents, for
//! as long as they change. A node is solved as a win once its marked child is solved as a loss,
//! and as a loss once every child is solved as a win; its cost is exact then, because it was a
//! lower bound and is now attained. The hypothesis that is solved first is the answer: the other
//! one's cost is already larger.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::{Child, Estimate, TwoPlayer};
use crate::value::{Plies, Value};

/// An AO* solver. Keep one for many positions: its memory is used again.
///
/// ```
/// use endtable::games::collapsi::{Rules, Subgame, deal_from_seed};
/// use endtable::solve::AoStar;
///
/// let game = Subgame::new(deal_from_seed(1), Rules::One);
/// let mut solver = AoStar::new();
/// let value = solver.solve(&game, game.root());
/// let best = solver.best_move(&game, game.root());
/// assert_eq!(best.is_some(), value.plies().0 > 0);
/// ```
#[derive(Debug)]
pub struct AoStar<P> {
    nodes: Vec<Node<P>>,
    /// The nodes' costs, apart: they are read far more often than the rest.
    costs: Vec<Costs>,
    /// The children of expanded nodes, each node's in one piece.
    children: Vec<NodeId>,
    /// Lists of parents, linked from [`Node::parents`].
    parents: Vec<Parent>,
    known: FxHashMap<P, NodeId>,
    /// The way from the root to the tip in hand, with the costs that led along it.
    path: Vec<(NodeId, Costs)>,
    to_revise: Vec<NodeId>,
    fresh: Vec<Child<P>>,
    counts: Counts,
}

/// How much work a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes in the graph.
    pub nodes: usize,
    /// Nodes whose children were made.
    pub expanded: usize,
}

type NodeId = u32;

#[derive(Debug)]
struct Node<P> {
    position: P,
    /// Where its children begin, once expanded.
    children: u32,
    /// The first of its parents, or [`NO_PARENT`].
    parents: u32,
    child_count: u8,
    expanded: bool,
    /// The marked best connector: which child to follow when trying to win.
    cheapest: u8,
    /// At an AND node every child must be solved: which to look at first.
    hardest: u8,
    /// The win and the loss by children whose value was plain at a glance: these are not made.
    known_win: u8,
    known_loss: u8,
}

/// A node's two costs, and whether the lower one is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Costs {
    win: u8,
    loss: u8,
    solved: bool,
    /// Which of equally cheap nodes to look at first.
    order: u8,
}

impl Costs {
    /// What would take longer than the game can last, never happens.
    fn capped(mut self, plies_left: u8) -> Self {
        if self.win > plies_left {
            self.win = NEVER;
        }
        if self.loss > plies_left {
            self.loss = NEVER;
        }
        self
    }

    fn value(self) -> Option<Value> {
        let Self { win, loss, solved, .. } = self;
        let value = if win < loss {
            Value::Win(Plies(win.into()))
        } else {
            Value::Loss(Plies(loss.into()))
        };
        solved.then_some(value)
    }

    fn is_won(self) -> bool {
        self.solved && self.win < self.loss
    }

    fn is_lost(self) -> bool {
        self.solved && self.loss < self.win
    }
}

#[derive(Clone, Copy, Debug)]
struct Parent {
    node: NodeId,
    next: u32,
}

const NO_PARENT: u32 = u32::MAX;

/// The cost of what cannot happen at all.
const NEVER: u8 = u8::MAX;

impl<P: Copy + Eq + Hash> Default for AoStar<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Copy + Eq + Hash> AoStar<P> {
    /// A solver that knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            nodes: Vec::new(),
            costs: Vec::new(),
            children: Vec::new(),
            parents: Vec::new(),
            known: FxHashMap::default(),
            path: Vec::new(),
            to_revise: Vec::new(),
            fresh: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Solves a position. What was solved before is forgotten.
    pub fn solve<G: TwoPlayer<Position = P>>(&mut self, game: &G, position: P) -> Value {
        self.nodes.clear();
        self.costs.clear();
        self.children.clear();
        self.parents.clear();
        self.known.clear();
        self.counts = Counts::default();
        let root = self.node(position, (1, 0), 0);
        self.settle(game, root)
    }

    /// The number of the best move of a position that was solved, in the order in which the game
    /// lists its moves: of equally good ones the first. `None` when the game is over.
    pub fn best_move<G: TwoPlayer<Position = P>>(
        &mut self,
        game: &G,
        position: P,
    ) -> Option<usize> {
        let root = *self.known.get(&position)?;
        let value = self.settle(game, root);
        let as_good = value.plies().0.checked_sub(1)?;
        let mut moves = Vec::new();
        game.expand(position, &mut moves);
        moves.into_iter().position(|child| {
            // A move that cannot lead to so quick a win is passed over unsolved.
            let enough =
                |costs: Costs| costs.solved || value.is_win() && u16::from(costs.loss) > as_good;
            self.child_value(game, child, enough) == Some(value)
        })
    }

    /// The value of every move of a position that was solved, in the game's order.
    pub fn move_values<G: TwoPlayer<Position = P>>(&mut self, game: &G, position: P) -> Vec<Value> {
        let mut moves = Vec::new();
        game.expand(position, &mut moves);
        moves
            .into_iter()
            .filter_map(|child| self.child_value(game, child, |costs| costs.solved))
            .collect()
    }

    /// How much work the last position took.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts { nodes: self.nodes.len(), ..self.counts }
    }

    /// What a move is worth to the one who makes it, if it was searched until it was solved.
    fn child_value<G: TwoPlayer<Position = P>>(
        &mut self,
        game: &G,
        child: Child<P>,
        enough: impl Fn(Costs) -> bool,
    ) -> Option<Value> {
        let value = match child.estimate {
            Estimate::Win(plies) => Some(Value::Win(Plies(plies.into()))),
            Estimate::Loss(plies) => Some(Value::Loss(Plies(plies.into()))),
            Estimate::AtLeast { win, loss } => {
                let node = self.node(child.position, (win, loss), child.order);
                self.improve(game, node, enough).value()
            }
        };
        value.map(Value::before_move)
    }

    /// Searches until a node is solved.
    fn settle<G: TwoPlayer<Position = P>>(&mut self, game: &G, node: NodeId) -> Value {
        let costs = self.improve(game, node, |costs| costs.solved);
        costs.value().expect("the search goes on until this node is solved")
    }

    /// Expands tips of the best partial solution of `root` until its costs will do.
    fn improve<G: TwoPlayer<Position = P>>(
        &mut self,
        game: &G,
        root: NodeId,
        enough: impl Fn(Costs) -> bool,
    ) -> Costs {
        self.path.clear();
        loop {
            let costs = self.costs[root as usize];
            if enough(costs) {
                return costs;
            }
            let tip = self.tip(root, costs.win < costs.loss);
            self.expand(game, tip);
        }
    }

    /// Follows the best partial solution from a node to an unexpanded tip of it. The upper part
    /// of the last way, as far as no cost has changed since, is taken again as it was.
    fn tip(&mut self, root: NodeId, trying_to_win: bool) -> NodeId {
        let unchanged = |(id, costs): &&(NodeId, Costs)| self.costs[*id as usize] == *costs;
        let kept = self.path.iter().take_while(unchanged).count();
        self.path.truncate(kept);
        let mut id = self.path.pop().map_or(root, |(id, _)| id);
        loop {
            let or_node = trying_to_win == self.path.len().is_multiple_of(2);
            self.path.push((id, self.costs[id as usize]));
            let node = &self.nodes[id as usize];
            if !node.expanded {
                return id;
            }
            let next = if or_node { node.cheapest } else { node.hardest };
            id = self.children[node.children as usize + usize::from(next)];
        }
    }

    fn children_of(&self, node: &Node<P>) -> &[NodeId] {
        &self.children[node.children as usize..][..usize::from(node.child_count)]
    }

    /// Makes a node's children, then revises its costs and those of everything above it.
    fn expand<G: TwoPlayer<Position = P>>(&mut self, game: &G, id: NodeId) {
        self.counts.expanded += 1;
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.clear();
        game.expand(self.nodes[id as usize].position, &mut fresh);
        let (mut known_win, mut known_loss) = (NEVER, 0);
        let mut open_loss = NEVER;
        for child in &fresh {
            match child.estimate {
                Estimate::Loss(plies) => known_win = known_win.min(plies + 1),
                Estimate::Win(plies) => known_loss = known_loss.max(plies + 1),
                Estimate::AtLeast { loss, .. } => open_loss = open_loss.min(loss),
            }
        }
        let first = self.children.len() as u32;
        // A win that no other move can hasten settles the node: no child is worth making.
        let settled = known_win < NEVER && known_win <= open_loss.saturating_add(1);
        if !settled {
            for child in &fresh {
                let Estimate::AtLeast { win, loss } = child.estimate else { continue };
                let child = self.node(child.position, (win, loss), child.order);
                self.children.push(child);
                let node = &mut self.nodes[child as usize];
                self.parents.push(Parent { node: id, next: node.parents });
                node.parents = self.parents.len() as u32 - 1;
            }
        }
        self.fresh = fresh;
        let child_count = (self.children.len() as u32 - first) as u8;
        let node = &mut self.nodes[id as usize];
        *node =
            Node { children: first, child_count, expanded: true, known_win, known_loss, ..*node };
        self.to_revise.clear();
        if settled {
            let costs = &mut self.costs[id as usize];
            *costs = Costs { win: known_win, loss: NEVER, solved: true, ..*costs };
            self.queue_parents(id);
        } else {
            self.to_revise.push(id);
        }
        self.revise(game);
    }

    /// The node of a position: the one that is there, or a new one with these costs.
    fn node(&mut self, position: P, (win, loss): (u8, u8), order: u8) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let known = *self.known.entry(position).or_insert(id);
        if known == id {
            self.nodes.push(Node {
                position,
                children: 0,
                parents: NO_PARENT,
                child_count: 0,
                expanded: false,
                cheapest: 0,
                hardest: 0,
                known_win: NEVER,
                known_loss: 0,
            });
            self.costs.push(Costs { win, loss, solved: false, order });
        }
        known
    }

    /// Revises the costs of the queued nodes and, for as long as they change, of all their
    /// ancestors. The queue works upward level by level, since every parent is one ply above.
    fn revise<G: TwoPlayer<Position = P>>(&mut self, game: &G) {
        let mut next = 0;
        while let Some(&id) = self.to_revise.get(next) {
            next += 1;
            let node = &self.nodes[id as usize];
            let old = self.costs[id as usize];
            let (costs, cheapest, hardest) = self.costs_from_children(node);
            let costs = Costs { order: old.order, ..costs.capped(game.plies_left(node.position)) };
            let node = &mut self.nodes[id as usize];
            (node.cheapest, node.hardest) = (cheapest, hardest);
            if costs != old {
                self.costs[id as usize] = costs;
                self.queue_parents(id);
            }
        }
    }

    /// Queues the parents of a node whose costs have changed, those that may change with it: it
    /// is the child they mark, or it has overtaken the marked one.
    fn queue_parents(&mut self, id: NodeId) {
        let costs = self.costs[id as usize];
        let mut link = self.nodes[id as usize].parents;
        while let Some(&Parent { node, next }) = self.parents.get(link as usize) {
            link = next;
            let above = self.costs[node as usize];
            if above.solved {
                continue;
            }
            let parent = &self.nodes[node as usize];
            let marked = |number| self.children[parent.children as usize + usize::from(number)];
            if costs.is_lost()
                || costs.win >= above.loss
                || marked(parent.cheapest) == id
                || marked(parent.hardest) == id
            {
                self.to_revise.push(node);
            }
        }
    }

    /// What the children say of a node's costs, and which child is the cheapest to lose in and
    /// which the hardest to win.
    fn costs_from_children(&self, node: &Node<P>) -> (Costs, u8, u8) {
        // Compared as one number each: cost, then a solved or promising child, then its number.
        let (mut cheapest, mut hardest) = (u32::MAX, 0);
        let mut loss = node.known_loss;
        let mut all_won = node.known_win == NEVER;
        for (number, &id) in (0..).zip(self.children_of(node)) {
            let child = self.costs[id as usize];
            let order = u32::from(child.order);
            let unsolved = u32::from(!child.is_lost());
            cheapest =
                cheapest.min(u32::from(child.loss) << 17 | unsolved << 16 | order << 8 | number);
            loss = loss.max(child.win.saturating_add(1));
            let won = child.is_won();
            all_won &= won;
            let effort = u32::from(child.win) << 16 | (0xff - order) << 8 | number;
            hardest = hardest.max(if won { 0 } else { effort });
        }
        let open_win = ((cheapest >> 17) as u8).saturating_add(1);
        let win = open_win.min(node.known_win);
        let open_win_is_solved = cheapest >> 16 & 1 == 0;
        let won =
            if node.known_win <= open_win { node.known_win < NEVER } else { open_win_is_solved };
        let costs = if all_won {
            Costs { win: NEVER, loss, solved: true, order: 0 }
        } else if won {
            Costs { win, loss: NEVER, solved: true, order: 0 }
        } else {
            Costs { win, loss, solved: false, order: 0 }
        };
        (costs, cheapest as u8, hardest as u8)
    }
}
