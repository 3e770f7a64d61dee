//! What would open a gate does not compile. The expected errors lie beside the cases.

#[test]
fn forgeries_in_rust_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
