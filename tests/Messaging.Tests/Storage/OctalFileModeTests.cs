using Quayside.Messaging.Storage;

namespace Messaging.Tests.Storage;

public sealed class OctalFileModeTests
{
    [Theory]
    [InlineData("0640", 0x1A0)]
    [InlineData("640", 0x1A0)]
    [InlineData("0600", 0x180)]
    [InlineData("666", 0x1B6)]
    public void TryParse_OctalPermissions_AreRead(string text, int mode)
    {
        OctalFileMode.TryParse(text, out UnixFileMode read).ShouldBeTrue();
        ((int)read).ShouldBe(mode);
    }

    [Theory]
    [InlineData("")]
    [InlineData("0")]
    [InlineData("0440")]
    [InlineData("0755")]
    [InlineData("4640")]
    [InlineData("0680")]
    [InlineData("00640")]
    [InlineData("rw-r-----")]
    [InlineData("-640")]
    public void TryParse_AnythingElse_IsRefused(string text) => OctalFileMode.TryParse(text, out _).ShouldBeFalse();
}
