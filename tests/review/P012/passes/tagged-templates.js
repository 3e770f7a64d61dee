const style = css`a { color: red }`;
const query = gql`query { eval }`;
const text = String.raw`eval(1)`;
