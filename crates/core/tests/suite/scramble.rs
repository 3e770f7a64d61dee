//! The same document in another spelling: members in another order, other white space, other escapes.

use serde_json::Value;

/// A small generator of numbers that look random and are the same on every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// A text that reads as the same value.
pub(crate) fn scrambled(value: &Value, dice: &mut Dice) -> String {
    let mut text = String::new();
    write_value(value, dice, &mut text);
    space(dice, &mut text);
    text
}

fn write_value(value: &Value, dice: &mut Dice, text: &mut String) {
    space(dice, text);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => text.push_str(&value.to_string()),
        Value::String(string) => write_string(string, dice, text),
        Value::Array(elements) => {
            text.push('[');
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write_value(element, dice, text);
            }
            space(dice, text);
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            for at in (1..members.len()).rev() {
                members.swap(at, dice.roll(at + 1));
            }
            text.push('{');
            for (at, (name, member)) in members.into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                space(dice, text);
                write_string(name, dice, text);
                space(dice, text);
                text.push(':');
                write_value(member, dice, text);
            }
            space(dice, text);
            text.push('}');
        }
    }
}

fn space(dice: &mut Dice, text: &mut String) {
    text.push_str(["", "", " ", "\n", "\t", "\r\n  "][dice.roll(6)]);
}

fn write_string(string: &str, dice: &mut Dice, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match (character, dice.roll(8)) {
            ('\n', 0..=3) => text.push_str("\\n"),
            ('"' | '\\', 0..=3) => {
                text.push('\\');
                text.push(character);
            }
            ('/', 0..=3) => text.push_str("\\/"),
            ('\n' | '"' | '\\', _) | (_, 0) => write_escape(character, dice, text),
            _ => text.push(character),
        }
    }
    text.push('"');
}

fn write_escape(character: char, dice: &mut Dice, text: &mut String) {
    let mut units = [0; 2];
    for unit in character.encode_utf16(&mut units) {
        let escape = if dice.roll(2) == 0 { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") };
        text.push_str(&escape);
    }
}
