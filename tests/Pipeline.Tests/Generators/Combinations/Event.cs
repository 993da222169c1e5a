namespace Pipeline.Tests.Generators.Combinations;

/// <summary>What happens to a message on its way through the step and the rest behind it.</summary>
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
