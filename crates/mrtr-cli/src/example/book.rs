//! `book`: two questions, a price in between, and nothing kept on the server.

use mrtr::server::{Json, Tool, tool};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Trip {
    /// Where to go, such as Kyoto
    to: String,
}

#[derive(Form)]
struct Details {
    /// How you travel
    #[form(title = "Class", default = Class::Standard)]
    class: Class,
    /// How many of you travel
    #[form(title = "Seats", min = 1, max = 9, default = 1)]
    seats: u32,
    #[form(title = "Departure", format = "date")]
    departure: String,
    #[form(title = "Extras", max_items = 2)]
    extras: Option<Vec<Extra>>,
}

#[derive(Form, Clone, Copy, PartialEq, Eq)]
enum Class {
    #[form(rename = "standard", title = "Standard")]
    Standard,
    #[form(rename = "green", title = "Green car, with more room")]
    Green,
    #[form(rename = "sleeper", title = "Sleeper, four berths")]
    Sleeper,
}

#[derive(Form, Clone, Copy)]
enum Extra {
    #[form(rename = "bike", title = "A bicycle")]
    Bike,
    #[form(rename = "meal", title = "A meal box")]
    Meal,
    #[form(rename = "window", title = "A seat at the window")]
    Window,
}

/// A booked trip.
#[derive(Serialize, JsonSchema)]
struct Ticket {
    /// The booking's reference
    reference: String,
    to: String,
    /// The day of departure
    departure: String,
    seats: u32,
    /// The price of all seats, in euros
    euros: u32,
}

async fn book(cx: Cx, trip: Trip) -> Result<Json<Ticket>, ToolError> {
    let details: Details = cx
        .elicit("details", format!("Your trip to {}", trip.to))
        .check(berths)
        .await?;
    let euros = cx.step("price", || price(&trip, &details)).await?;
    let question = format!(
        "Pay {euros} euros for {} to {} on {}?",
        match details.seats {
            1 => "one seat".to_owned(),
            seats => format!("{seats} seats"),
        },
        trip.to,
        details.departure
    );
    cx.confirm("pay", question).await?;
    // The same in every retry of this exchange: a booking system that is given it books once.
    let reference = cx.idempotency_key("ticket").to_string();
    Ok(Json(Ticket {
        reference: reference[..8].to_uppercase(),
        to: trip.to,
        departure: details.departure,
        seats: details.seats,
        euros,
    }))
}

fn berths(details: &Details) -> Result<(), String> {
    if details.class == Class::Sleeper && details.seats > 4 {
        return Err("A sleeper has four berths: take fewer seats or another class.".to_owned());
    }
    Ok(())
}

/// Stands for a call of a service whose prices change all the time. As a step it is asked once, so
/// the price that is confirmed is the price that is paid.
async fn price(trip: &Trip, details: &Details) -> Result<u32, std::io::Error> {
    let distance = 40 + trip.to.chars().take(60).map(|_| 3).sum::<u32>();
    let seat = match details.class {
        Class::Standard => distance,
        Class::Green => distance + distance / 2,
        Class::Sleeper => distance * 2,
    };
    let extras = details.extras.iter().flatten().map(|extra| match extra {
        Extra::Bike => 12,
        Extra::Meal => 9,
        Extra::Window => 3,
    });
    Ok(details.seats * (seat + extras.sum::<u32>()))
}

pub(super) fn register() -> Tool {
    tool("book", book)
        .title("Book a trip")
        .description("Books a trip by train. Asks for the details, then for a yes to the price.")
        .destructive(false)
}

#[cfg(test)]
mod tests {
    use mrtr::harness::{End, Harness};
    use serde_json::json;

    use super::*;

    fn trip() -> Trip {
        Trip {
            to: "Oslo".to_owned(),
        }
    }

    #[tokio::test]
    async fn it_asks_again_for_a_berth_that_is_not_there_and_books_what_was_confirmed() {
        let details =
            |seats: u32| json!({ "class": "sleeper", "seats": seats, "departure": "2027-05-01" });
        let played = Harness::new(|cx| book(cx, trip()))
            .answer("details", details(5))
            .answer("details", details(4))
            .confirm("pay")
            .repeat_each_round()
            .drop_at_every_await()
            .play()
            .await;
        assert_eq!(played.asked(), [["details"], ["details"], ["pay"]]);
        let again = played.rounds[1].message("details").expect("asked");
        assert!(again.contains("four berths"), "{again}");
        assert!(played.rounds[2].state_bytes < 500);
        let Json(ticket) = played.value();
        assert_eq!((ticket.seats, ticket.euros), (4, 416));
    }

    #[tokio::test]
    async fn a_no_to_the_price_books_nothing() {
        let details = json!({ "class": "standard", "seats": 1, "departure": "2027-05-01" });
        let played = Harness::new(|cx| book(cx, trip()))
            .answer("details", details)
            .decline("pay")
            .play()
            .await;
        assert!(matches!(played.end, End::Refused(_)));
    }
}
