namespace Pipeline.Tests.Allocations;

internal readonly struct Zero;
