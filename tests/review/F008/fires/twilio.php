$auth = ["sid" => "SK{{rand:09af:32:s55}}"];
