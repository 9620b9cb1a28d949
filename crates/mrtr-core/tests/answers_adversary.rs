//! Clients that present any state they ever got, with any answers, while the
//! questions change as well: they learn to know nothing but the model below,
//! so that no consent is forged and no answer is lost.

mod support;

use std::collections::BTreeMap;
use std::sync::Mutex;

use futures::FutureExt;
use futures::future::join_all;
use mrtr_core::replay::{Cx, FaultKind, Refused, ToolError};
use mrtr_core::round::Closed;
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use support::*;

const KEYS: [&str; 4] = ["a", "b", "c", "d"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Plain,
    Asked,
    Confirm,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    Yes,
    Text,
    Decline,
    Cancel,
    /// Accepts with content that fits no form.
    Misfit,
}

impl Answer {
    fn json(self) -> Value {
        match self {
            Self::Yes => yes(),
            Self::Text => value("said"),
            Self::Decline => decline(),
            Self::Cancel => cancel(),
            Self::Misfit => {
                json!({ "action": "accept", "content": { "confirmed": 1, "value": 1 } })
            }
        }
    }

    /// What the handler gets; nothing when it is asked again.
    fn gives(self, kind: Kind) -> Option<&'static str> {
        match (kind, self) {
            (_, Self::Decline) => Some("declined"),
            (_, Self::Cancel) => Some("cancelled"),
            (Kind::Confirm, Self::Yes) => Some("yes"),
            (Kind::Confirm, _) => Some("declined"),
            (_, Self::Text) => Some("said"),
            (_, Self::Yes | Self::Misfit) => None,
        }
    }
}

/// A question, and which of its texts it has now.
type Question = (&'static str, Kind, u8);

/// What may be known of an exchange, as of one of its states.
#[derive(Clone, Debug, Default)]
struct Known {
    first: bool,
    asked: BTreeMap<&'static str, u8>,
    /// The text of the question, the answer, and whether it was asked.
    given: BTreeMap<&'static str, (u8, Answer, bool)>,
}

impl Known {
    fn receive(&mut self, answers: &BTreeMap<&'static str, Answer>) {
        for (key, text) in std::mem::take(&mut self.asked) {
            if let Some(answer) = answers.get(key) {
                self.given.insert(key, (text, *answer, true));
            }
        }
    }

    /// What a handler that comes to `question` gets.
    fn reach(
        &mut self,
        (key, kind, text): Question,
        answers: &BTreeMap<&'static str, Answer>,
    ) -> Option<&'static str> {
        if self.first
            && kind == Kind::Plain
            && let Some(answer) = answers.get(key)
        {
            self.given.insert(key, (text, *answer, false));
        }
        let fits =
            |given: &&(u8, Answer, bool)| given.0 == text && (given.2 || kind == Kind::Plain);
        let gives = self
            .given
            .get(key)
            .filter(fits)
            .and_then(|given| given.1.gives(kind));
        if gives.is_none() {
            self.given.remove(key);
            self.asked.insert(key, text);
        }
        gives
    }
}

async fn put(cx: &Cx, (key, kind, text): Question) -> &'static str {
    let message = text.to_string();
    let form = support::text();
    let refused = |refused| match refused {
        Refused::Declined(_) => "declined",
        Refused::Cancelled(_) => "cancelled",
    };
    match kind {
        Kind::Confirm => cx.confirm(key, message).await.map(|()| "yes"),
        Kind::Plain => cx.elicit_form(key, message, form).await.map(|_| "said"),
        Kind::Asked => cx
            .elicit_form(key, message, form)
            .asked()
            .await
            .map(|_| "said"),
    }
    .unwrap_or_else(refused)
}

#[derive(Clone, Debug)]
struct Move {
    /// Which of the states so far to present; none is one of them.
    state: prop::sample::Index,
    answers: BTreeMap<&'static str, Answer>,
    /// A question that gets another text before.
    change: Option<(prop::sample::Index, u8)>,
    joined: bool,
}

fn play_move() -> impl Strategy<Value = Move> {
    let answer = prop_oneof![
        3 => Just(Answer::Yes),
        3 => Just(Answer::Text),
        1 => Just(Answer::Decline),
        1 => Just(Answer::Cancel),
        1 => Just(Answer::Misfit),
    ];
    let answers = proptest::collection::btree_map(prop::sample::select(&KEYS[..]), answer, 0..5);
    let change = prop::option::weighted(0.2, (any::<prop::sample::Index>(), 0u8..3));
    (any::<prop::sample::Index>(), answers, change, any::<bool>()).prop_map(
        |(state, answers, change, joined)| Move {
            state,
            answers,
            change,
            joined,
        },
    )
}

fn play(kinds: Vec<Kind>, moves: Vec<Move>) {
    let mut questions: Vec<Question> = KEYS
        .into_iter()
        .zip(kinds)
        .map(|(k, kind)| (k, kind, 0))
        .collect();
    let nothing = Known {
        first: true,
        ..Known::default()
    };
    let mut states: Vec<(Option<Box<RawValue>>, Known)> = vec![(None, nothing)];
    let mut call = Call::new();
    call.policy.limits.max_rounds = 1_000;
    for play in moves {
        if let Some((at, text)) = play.change {
            let at = at.index(questions.len());
            questions[at].2 = text;
        }
        let (state, mut known) = states[play.state.index(states.len())].clone();
        call.state = state;
        known.receive(&play.answers);
        let mut expected = Vec::new();
        for question in &questions {
            match known.reach(*question, &play.answers) {
                Some(got) => expected.push((question.0, got)),
                None if play.joined => {}
                None => break,
            }
        }
        known.first = false;

        let got = Mutex::new(Vec::new());
        let (got_of, questions_of) = (&got, &questions);
        let handler = |cx: Cx| async move {
            let one = async |question: Question| {
                let answer = put(&cx, question).await;
                got_of
                    .lock()
                    .expect("not poisoned")
                    .push((question.0, answer));
            };
            if play.joined {
                join_all(questions_of.iter().map(|question| one(*question))).await;
            } else {
                for question in questions_of {
                    one(*question).await;
                }
            }
            Ok::<_, ToolError>(())
        };
        let answers = play
            .answers
            .iter()
            .map(|(key, answer)| ((*key).to_owned(), answer.json()));
        let round = call.play(answers.collect::<Value>(), handler);
        let closed = round.now_or_never().expect("nothing to wait for");
        if let Closed::Fault(fault) = &closed {
            assert!(
                matches!(fault.kind(), FaultKind::EverChangingQuestion(_)),
                "{fault}"
            );
            continue;
        }
        assert_eq!(got.into_inner().expect("not poisoned"), expected);
        if known.asked.is_empty() {
            done(closed);
        } else {
            assert_eq!(
                keys(closed),
                known.asked.keys().copied().collect::<Vec<_>>()
            );
            states.push((call.state.clone(), known));
        }
    }
}

proptest! {
    #[test]
    fn whatever_a_client_presents_handlers_get_what_was_answered_and_nothing_else(
        kinds in proptest::collection::vec(
            prop_oneof![Just(Kind::Plain), Just(Kind::Asked), Just(Kind::Confirm)], 1..=4,
        ),
        moves in proptest::collection::vec(play_move(), 1..20),
    ) {
        play(kinds, moves);
    }
}
