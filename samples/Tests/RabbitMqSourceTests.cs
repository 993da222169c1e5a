using Messaging.Testing;
using Messaging.Testing.Xunit;

namespace Samples.Tests;

/// <summary>The contract that the sources of the packages keep, kept by a stranger's.</summary>
public sealed class RabbitMqSourceTests : MessageSourceContractTests
{
    protected override async ValueTask<SourceHarness> CreateAsync() => await RabbitMqHarness.CreateAsync();
}
