using System.Reflection;

namespace Worker.Tests.PublicApi;

/// <summary>Every library is marked as compatible with native code, so that its build runs the analyzers and a user's publish trusts the mark.</summary>
public sealed class NativeCompatibilityTests
{
    [Theory]
    [InlineData("Pipeline")]
    [InlineData("Messaging")]
    [InlineData("Messaging.CommandLine")]
    [InlineData("Messaging.Http")]
    [InlineData("Messaging.Aws")]
    [InlineData("Messaging.AzureServiceBus")]
    [InlineData("Messaging.Sockets")]
    [InlineData("Messaging.CloudFront")]
    [InlineData("Messaging.Testing")]
    [InlineData("Messaging.Testing.Xunit")]
    [InlineData("Worker")]
    public void Assembly_OfEachProject_IsMarked(string assembly) =>
        Assembly.Load(assembly).GetCustomAttributes<AssemblyMetadataAttribute>().ShouldContain(mark => mark.Key == "IsAotCompatible" && mark.Value == "True");
}
