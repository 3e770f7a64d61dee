box.insertAdjacentHTML("beforeend", `<script src="https://cdn.example/${version}.js"></` + "script>");
