module external-purchase-example

go 1.19
