using System.Reflection;

namespace Messaging.Tests.PublicApi;

/// <summary>
/// Every assembly of src is marked as compatible with native code, so that its build runs the analyzers and a user's publish trusts the mark.
/// </summary>
public sealed class NativeCompatibilityTests
{
    public static TheoryData<string> Assemblies() => [.. SourceAssemblies.Names];

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void Assembly_OfEachProject_IsMarked(string assembly) =>
        Assembly.Load(assembly).GetCustomAttributes<AssemblyMetadataAttribute>().ShouldContain(mark => mark.Key == "IsAotCompatible" && mark.Value == "True");
}
