"""The runs of a campaign as the exhibits read them."""
