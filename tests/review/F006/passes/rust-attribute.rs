#![allow(dead_code)]
fn main() {}
