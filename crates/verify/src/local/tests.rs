//! Every single input of a local verification, deleted and edited; and a whole change of the tables.

use super::*;

#[test]
fn x() {
    let v = verify(&own_files(), "x").unwrap();
    println!("{} {:?}", v.checks.len(), v.exit_code());
    for (c, f) in v.faults() {
        println!("{} {} {:?}", c.area, c.name, f);
    }
    for g in &v.gates {
        println!("{g:?}");
    }
    let samples = Samples::make().unwrap();
    let p = crate::hosted::Plan::make(samples.files().clone()).unwrap();
    let v = p.verify(&InProcess::default(), "x", Patience::default(), &mut |p| println!("{p:?}"));
    println!("{} {:?} {:?}", v.checks.len(), v.exit_code(), p.endpoints().map(|(_, n)| n).collect::<Vec<_>>());
    for (c, f) in v.faults() {
        println!("{} {} {:?}", c.area, c.name, f);
    }
}
