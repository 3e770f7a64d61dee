export const Head = () => <script src="https://cdn.example/a.js" async />;
