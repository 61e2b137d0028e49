//! Faults of TLS that do not pass by themselves: a certificate that has expired, is another host's or of no trusted
//! authority, or a server that speaks no common form of TLS.

use std::error::Error;
use std::io;
use tokio_rustls::rustls::Error as Fault;

/// Such a fault behind an error. A connection that is lost in the middle of a handshake is none: the server may
/// come back.
pub(crate) fn fault<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Fault> {
    let mut next = Some(error);
    while let Some(one) = next {
        if let Some(fault) = one.downcast_ref::<Fault>() {
            return lasts(fault).then_some(fault);
        }
        // What an error of input and output holds is none of its sources.
        let held = one.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let held = held.map(|held| -> &'e (dyn Error + 'static) { held });
        next = held.or_else(|| one.source());
    }
    None
}

fn lasts(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::InvalidCertificate(_)
            | Fault::InvalidCertRevocationList(_)
            | Fault::NoCertificatesPresented
            | Fault::UnsupportedNameType
            | Fault::PeerIncompatible(_)
            | Fault::AlertReceived(_)
            | Fault::InvalidMessage(_)
    )
}

/// Whether a connection was lost, whatever it was used for.
pub(crate) fn is_lost(error: &(dyn Error + 'static)) -> bool {
    let Some(error) = error.downcast_ref::<io::Error>() else {
        return false;
    };
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::NotConnected
            | io::ErrorKind::TimedOut
    )
}
