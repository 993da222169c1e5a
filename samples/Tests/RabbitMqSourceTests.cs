using Messaging.Testing;
using Messaging.Testing.Xunit;

namespace Samples.Tests;

/// <summary>Runs the contract tests of the packages' own sources against a third-party source.</summary>
public sealed class RabbitMqSourceTests : MessageSourceContractTests
{
    protected override async ValueTask<SourceHarness> CreateAsync() => await RabbitMqHarness.CreateAsync();
}
