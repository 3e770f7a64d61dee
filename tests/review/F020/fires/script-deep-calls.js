{{repeat:10100:a(}}1{{repeat:10100:)}};
