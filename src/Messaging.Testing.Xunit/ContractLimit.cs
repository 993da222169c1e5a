namespace Messaging.Testing.Xunit;

/// <summary>The longest run of a test of a contract, so that one that waits for what never comes fails. xunit ignores it under a debugger.</summary>
internal static class ContractLimit
{
    public const int Milliseconds = 5 * 60 * 1_000;
}
