namespace Pipeline.Tests.Generators.Combinations;

/// <summary>What happens to a message in the step and in the rest of the chain.</summary>
public enum Event
{
    Nothing,
    BeforeStops,
    BeforeThrows,
    RestThrows,
    AfterThrows,
    OnErrorHandles,
    OnErrorThrows,
}
