provider "aws" {
  secret_key = "{{rand:AZaz09+/:40:s5}}"
}
