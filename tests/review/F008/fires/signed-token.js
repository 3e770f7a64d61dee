const session = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI4MWYyIiwiZW1haWwiOiJvcHNAYWNtZS5kZXYiLCJzY29wZSI6ImFkbWluIiwiZXhwIjoyMDAwMDAwMDAwfQ.{{rand:AZaz09_-:43:s95}}";
