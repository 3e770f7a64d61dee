export const Board = ({ name }: { name: string }) => <main>{name}</main>;
