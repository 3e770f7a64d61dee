enum Kind { Rain, Sun }
export const kind: Kind = Kind.Sun;
