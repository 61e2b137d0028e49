//! What the home stores: status, activity and readings (N4, N6).

use crate::model::{
    Activity, ActivityEvent, AsyncHomeClient, DeviceId, NewActivity, NewReading, Reading, SensorId,
    Status,
};
use examples_web::Meter;
use keyfold::Options;
use keyfold::jiff::SignedDuration;
use keyfold::nonblocking::Keyfold;
use keyfold::typed::{Error, Number, Precision, Timestamp, now};
use serde::Serialize;
use tokio::time::Instant;

/// The devices that are polled.
pub const DEVICES: u32 = 20;
/// The sensors, and the mean and the swing of their temperature.
const SENSORS: [(&str, f64, f64); 2] = [("kitchen", 21.0, 2.5), ("garden", 12.0, 7.0)];
/// The readings of the first day go back so far.
const PAST_DAYS: i32 = 90;
/// The hours between two of them.
const STEP_HOURS: i64 = 6;
/// The readings of one answer at most.
const READINGS_MAX: usize = 5_000;

/// Opens what a connection names. A database in this program enforces capacity, as the service does.
///
/// # Errors
/// Those of the database.
pub async fn open(connection: &str) -> Result<Keyfold, Error> {
    let options = Options::new().enforce_capacity();
    if connection == "memory:" {
        Keyfold::memory_with(options).await
    } else if let Some(folder) = connection.strip_prefix("keyfold:") {
        Keyfold::open_with(folder, options).await
    } else {
        Keyfold::connect(connection).await
    }
}

/// What became of a burst of activity.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Burst {
    /// How many events there were.
    pub events: u32,
    /// How long they took.
    pub milliseconds: u64,
    /// Units of capacity.
    pub units: f64,
}

/// The tables of a home.
#[derive(Debug, Clone)]
pub struct Home {
    client: AsyncHomeClient,
    meter: Meter,
}

impl Home {
    /// Opens the home of a database, and makes its tables and the readings of the last months where
    /// there are none.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn open(database: &Keyfold) -> Result<Home, Error> {
        let meter = Meter::default();
        let observed = meter.clone();
        let database = database.on_request(move |sent| observed.add(sent));
        let client = AsyncHomeClient::new(&database).await?;
        let home = Home { client, meter };
        home.seed().await?;
        Ok(home)
    }

    async fn seed(&self) -> Result<(), Error> {
        let end = now(Precision::Seconds);
        let start = end - SignedDuration::from_hours(24 * i64::from(PAST_DAYS));
        for (name, mean, swing) in SENSORS {
            let sensor = SensorId::from(name);
            let stored = self.client.readings_between(&sensor, start, end);
            if stored.first().await?.is_some() {
                continue;
            }
            let steps = 24 / STEP_HOURS * i64::from(PAST_DAYS);
            let reading = |step: i64| NewReading {
                sensor_id: sensor.clone(),
                at: start + SignedDuration::from_hours(STEP_HOURS * step),
                value: temperature(step, mean, swing),
            };
            let readings: Vec<NewReading> = (0..steps).map(reading).collect();
            self.client.reading.put_many(&readings).await?;
        }
        Ok(())
    }

    /// What requests have taken so far.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The device with a number, from 1.
    pub fn device(number: u32) -> DeviceId {
        DeviceId::from(format!("device-{number:02}"))
    }

    /// Whether it is one of the home's devices.
    pub fn has(device: &DeviceId) -> bool {
        (1..=DEVICES).any(|number| Home::device(number) == *device)
    }

    /// N4: writes what a poll has found.
    ///
    /// # Errors
    /// `Throttled` when the table's capacity is exhausted; those of the database.
    pub async fn poll(&self, device: &DeviceId, is_online: bool) -> Result<(), Error> {
        let seen = now(Precision::Millis);
        self.client.poll(seen, is_online, device).await.map(drop)
    }

    /// N4: the status of all devices that were polled.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn statuses(&self) -> Result<Vec<Status>, Error> {
        let devices: Vec<DeviceId> = (1..=DEVICES).map(Home::device).collect();
        self.client.statuses(&devices).all(DEVICES as usize).await
    }

    /// N4: writes many events at once.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn burst(&self, events: u32) -> Result<Burst, Error> {
        let start = now(Precision::Micros);
        let event = |number: u32| {
            let kinds = [
                ActivityEvent::Motion,
                ActivityEvent::Door,
                ActivityEvent::Heartbeat,
            ];
            NewActivity {
                device_id: Home::device(number % DEVICES + 1),
                at: start + SignedDuration::from_micros(i64::from(number)),
                event: kinds[number as usize % kinds.len()],
            }
        };
        let all: Vec<NewActivity> = (0..events).map(event).collect();
        let begun = Instant::now();
        let written = self.client.activity.put_many(&all).await?;
        Ok(Burst {
            events,
            milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            units: written.units,
        })
    }

    /// N4: the latest events of a device.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn activity(&self, device: &DeviceId) -> Result<Vec<Activity>, Error> {
        Ok(self.client.activity(device).page().await?.items)
    }

    /// N6: the readings of a sensor in a range of times, from the tables of its months. Where there are too
    /// many for one answer, it has the first ones, and the moment from which on the others are.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn readings(
        &self,
        sensor: &SensorId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<(Vec<Reading>, Option<Timestamp>), Error> {
        let mut stored = self.client.readings_between(sensor, from, to).items();
        let mut readings = Vec::new();
        while let Some(reading) = stored.next().await {
            let reading = reading?;
            if readings.len() == READINGS_MAX {
                return Ok((readings, Some(reading.at)));
            }
            readings.push(reading);
        }
        Ok((readings, None))
    }

    /// N6: stores a reading in the table of its month.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn add_reading(&self, reading: &NewReading) -> Result<(), Error> {
        self.client.reading.put(reading).await.map(drop)
    }
}

/// The temperature of a step of six hours, in tenths: days, a season, and some weather.
fn temperature(step: i64, mean: f64, swing: f64) -> Number {
    let at = f64::from(i32::try_from(step).unwrap_or_default());
    let day = (at * std::f64::consts::FRAC_PI_2).sin() * swing / 2.0;
    let season = (at / 360.0 * std::f64::consts::PI).sin() * swing;
    let weather = (at / 11.0).sin() + (at / 4.7).cos() / 2.0;
    let tenths = ((mean + day + season + weather) * 10.0).round();
    let text = format!("{:.1}", tenths / 10.0);
    text.parse().unwrap_or_else(|_| Number::from(0_i64))
}
