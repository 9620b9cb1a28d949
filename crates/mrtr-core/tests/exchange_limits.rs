//! Rounds, waits and time of a call.

mod exchange_support;

use std::time::Duration;

use exchange_support::*;
use mrtr_core::exchange::{Blame, ExchangeError, ExchangeLimits, Limit, LimitReached, Next, Phase};

const SAMPLE: &str = r#"{"resultType":"input_required","requestState":"S","inputRequests":{"s":{"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}}}}"#;
const SAMPLED: &str = r#"{"role":"assistant","model":"m","content":{"type":"text","text":"y"}}"#;

fn limit(error: ExchangeError) -> LimitReached {
    assert_eq!(error.blame(), Blame::Limit);
    match error {
        ExchangeError::Limit(limit) => limit,
        other => panic!("{other:?}"),
    }
}

#[test]
fn b7_the_round_cap_is_configurable_and_named_in_the_error() {
    let mut patient = call_with(ExchangeLimits::default().with_max_rounds(12));
    patient.request(at(0)).unwrap();
    for _ in 0..12 {
        asked(patient.receive(&raw(SAMPLE), at(0)).unwrap());
        answered(&mut patient, "s", SAMPLED);
    }
    assert!(matches!(
        patient.receive(&raw(DONE), at(0)).unwrap(),
        Next::Done(_)
    ));

    let mut default = call();
    default.request(at(0)).unwrap();
    for _ in 0..10 {
        asked(default.receive(&raw(SAMPLE), at(0)).unwrap());
        answered(&mut default, "s", SAMPLED);
    }
    let error = default.receive(&raw(SAMPLE), at(0)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("10 rounds (max_rounds)") && text.contains("with a state"),
        "{text}"
    );
    let reached = limit(error);
    assert_eq!(reached.limit, Limit::Rounds(10));
    assert_eq!((reached.reached.rounds, reached.reached.state), (10, true));
    assert!(!reached.in_flight);
    assert_eq!(default.phase(), Phase::Ended);
}

#[test]
fn b6_state_only_legs_back_off_and_do_not_count_as_rounds() {
    let mut call = call_with(ExchangeLimits::default().with_max_rounds(1));
    let mut now = 0;
    let mut pauses = Vec::new();
    call.request(at(0)).unwrap();
    for _ in 0..9 {
        match call.receive(&raw(&wait(r#""S""#)), at(now)).unwrap() {
            Next::Wait { delay } => pauses.push(delay.as_millis()),
            other => panic!("{other:?}"),
        }
        now += u64::try_from(*pauses.last().unwrap()).unwrap();
        call.request(at(now)).unwrap();
    }
    assert_eq!(pauses, [250, 500, 1000, 2000, 4000, 5000, 5000, 5000, 5000]);
    assert_eq!((call.reached().rounds, call.reached().waits), (0, 9));
    asked(call.receive(&raw(SAMPLE), at(now)).unwrap());
    let answer = answer(&call, "s", SAMPLED);
    call.answer(vec![answer], at(now)).unwrap();
    call.request(at(now)).unwrap();
    let Next::Wait { delay } = call.receive(&raw(&wait(r#""S""#)), at(now)).unwrap() else {
        panic!("not a wait");
    };
    assert_eq!(delay.as_millis(), 250, "questions start the pauses anew");
    call.request(at(now + 2000)).unwrap();
    assert!(matches!(
        call.receive(&raw(DONE), at(now + 4000)).unwrap(),
        Next::Done(_)
    ));
}

#[test]
fn state_only_legs_have_a_bound_of_their_own() {
    let mut call = call_with(ExchangeLimits::default().with_max_waits(2));
    for _ in 0..2 {
        assert!(matches!(
            reply(&mut call, &wait(r#""S""#)).unwrap(),
            Next::Wait { .. }
        ));
    }
    let reached = limit(reply(&mut call, &wait(r#""S""#)).unwrap_err());
    assert_eq!((reached.limit, reached.reached.waits), (Limit::Waits(2), 2));
}

#[test]
fn b8_the_time_is_one_for_all_legs() {
    let mut call = call_with(ExchangeLimits::default().with_total(Duration::from_secs(5)));
    for leg in 0..2 {
        let start = leg * 2000;
        call.request(at(start)).unwrap();
        asked(
            call.receive(&raw(&form("f", None)), at(start + 2000))
                .unwrap(),
        );
        let answer = answer(&call, "f", r#"{"action":"accept","content":{"n":1}}"#);
        call.answer(vec![answer], at(start + 2000)).unwrap();
    }
    call.request(at(4000)).unwrap();
    assert_eq!(call.time_left(at(4000)), Duration::from_secs(1));
    assert!(call.check_time(at(4999)).is_ok());
    let error = call.check_time(at(5000)).unwrap_err();
    assert!(
        error.to_string().contains("may have been carried out"),
        "{error}"
    );
    let reached = limit(error);
    assert_eq!(reached.limit, Limit::Total(Duration::from_secs(5)));
    assert!(reached.in_flight);
    assert_eq!(call.phase(), Phase::Ended);
}

#[test]
fn b8_questions_that_come_too_late_are_not_put_to_anybody() {
    let mut call = call_with(ExchangeLimits::default().with_total(Duration::from_secs(5)));
    call.request(at(0)).unwrap();
    let error = call.receive(&raw(&form("f", None)), at(6000)).unwrap_err();
    assert!(!limit(error).in_flight);
    assert!(call.questions().is_none());
}

#[test]
fn a_complete_result_is_handed_out_even_when_it_is_late() {
    let mut call = call_with(ExchangeLimits::default().with_total(Duration::from_secs(5)));
    call.request(at(0)).unwrap();
    assert!(matches!(
        call.receive(&raw(DONE), at(9000)).unwrap(),
        Next::Done(_)
    ));
}

#[test]
fn human_time_is_charged_only_when_asked_for() {
    for (charge, fits) in [(false, true), (true, false)] {
        let limits = ExchangeLimits::default()
            .with_total(Duration::from_secs(5))
            .with_charge_human_time(charge);
        let mut call = call_with(limits);
        call.request(at(0)).unwrap();
        asked(call.receive(&raw(&form("f", None)), at(1000)).unwrap());
        let answer = answer(&call, "f", r#"{"action":"accept","content":{"n":1}}"#);
        call.answer(vec![answer], at(3_600_000)).unwrap();
        let sent = call.request(at(3_600_000));
        assert_eq!(sent.is_ok(), fits, "charge_human_time: {charge}");
        match sent {
            Ok(_) => assert_eq!(call.time_left(at(3_600_500)), Duration::from_millis(3500)),
            Err(error) => assert!(!limit(error).in_flight),
        }
    }
}

#[test]
fn a_pause_that_would_outlast_the_time_ends_the_call_at_once() {
    let mut call = call_with(ExchangeLimits::default().with_total(Duration::from_millis(600)));
    call.request(at(0)).unwrap();
    assert!(call.receive(&raw(&wait(r#""S""#)), at(100)).is_ok());
    call.request(at(350)).unwrap();
    let error = call.receive(&raw(&wait(r#""S""#)), at(360)).unwrap_err();
    assert_eq!(limit(error).limit, Limit::Total(Duration::from_millis(600)));
}

#[test]
fn a_clock_that_runs_backwards_takes_nothing_away() {
    let mut call = call_with(ExchangeLimits::default().with_total(Duration::from_secs(5)));
    call.request(at(9000)).unwrap();
    assert_eq!(call.time_left(at(0)), Duration::from_secs(5));
    asked(call.receive(&raw(&form("f", None)), at(0)).unwrap());
}
