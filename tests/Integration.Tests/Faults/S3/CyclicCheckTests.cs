namespace Integration.Tests.Faults.S3;

public sealed class CyclicCheckTests
{
    // The "check" values of the catalogue of parametrised CRC algorithms.
    [Fact]
    public void Hash_CatalogueInput_GivesTheCheckValue()
    {
        Convert.ToHexStringLower(CyclicCheck.Crc32.Hash("123456789"u8)).ShouldBe("cbf43926");
        Convert.ToHexStringLower(CyclicCheck.Crc32C.Hash("123456789"u8)).ShouldBe("e3069283");
        Convert.ToHexStringLower(CyclicCheck.Crc64Nvme.Hash("123456789"u8)).ShouldBe("ae8b14860a799888");
    }
}
